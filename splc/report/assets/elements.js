"use strict";
// Elements of the page and of pictures.
const make = (tag, text, attributes = {}) => {
  const found = document.createElement(tag);
  if (text !== undefined) found.textContent = text;
  for (const [name, value] of Object.entries(attributes)) found.setAttribute(name, value);
  return found;
};
const SVG = "http://www.w3.org/2000/svg";
const draw = (tag, attributes, ...parts) => {
  const found = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) found.setAttribute(name, value);
  found.append(...parts);
  return found;
};
