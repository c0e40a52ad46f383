"use strict";
// Controls for all options, with the prediction of the chosen configuration.
(() => {
  const make = (tag, text, attributes = {}) => {
    const found = document.createElement(tag);
    if (text !== undefined) found.textContent = text;
    for (const [name, value] of Object.entries(attributes)) found.setAttribute(name, value);
    return found;
  };
  const shown = (number) => String(+number.toPrecision(5)).replace("-", "−");
  for (const root of document.querySelectorAll(".explorer")) {
    const content = JSON.parse(root.querySelector("script.program").textContent);
    const { program, space, controls, terms } = content;
    let indices = [...content.start];
    const valuesOf = (chosen) => Object.fromEntries(space.options.map((each, at) => [each.name, each.values[chosen[at]]]));
    const outcome = make("p", "", { class: "outcome", "aria-live": "polite" });
    const broken = make("ul", "", { class: "warning" });
    const parts = make("div", undefined, { class: "scroll", tabindex: "0", role: "region", "aria-label": "Contributions" });
    const area = make("div", undefined, { class: "controls" });
    const setters = [];

    function stateOf(control) {
      return control.states.findIndex((state) => state.every(([position, index]) => indices[position] === index));
    }
    function choose(control, state) {
      for (const [position, index] of control.states[state]) indices[position] = index;
      update();
    }
    for (const control of controls) {
      const label = make("label");
      let input;
      if (control.kind === "checkbox") {
        input = make("input", undefined, { type: "checkbox" });
        input.addEventListener("change", () => choose(control, Number(input.checked)));
        setters.push(() => (input.checked = stateOf(control) === 1));
        label.append(input, control.name);
      } else if (control.kind === "number" && control.labels.length > 8) {
        input = make("input", undefined, { type: "range", min: 0, max: control.labels.length - 1 });
        const output = make("output");
        input.addEventListener("input", () => choose(control, Number(input.value)));
        setters.push(() => {
          input.value = stateOf(control);
          output.textContent = control.labels[stateOf(control)];
          input.setAttribute("aria-valuetext", output.textContent);
        });
        label.append(control.name, input, output);
      } else {
        input = make("select");
        control.labels.forEach((text, at) => input.append(make("option", text, { value: at })));
        input.addEventListener("change", () => choose(control, Number(input.value)));
        setters.push(() => (input.value = stateOf(control)));
        label.append(control.name, input);
      }
      area.append(label);
    }

    const sum = (parts) => parts.reduce((total, [, value]) => total + value, 0);
    // A bar to the left of the middle lowers the prediction, one to the right raises it.
    function bar(share) {
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      for (const [name, value] of Object.entries({ width: 120, height: 12, class: "chart", "aria-hidden": "true" }))
        svg.setAttribute(name, value);
      const wide = Math.max(Math.abs(share) * 60, 0.5);
      for (const [name, value] of Object.entries({ x: share < 0 ? 60 - wide : 60, y: 1, width: wide, height: 10 }))
        rect.setAttribute(name, value);
      rect.setAttribute("class", `bar f-${share < 0 ? "fall" : "rise"}`);
      svg.append(rect);
      return svg;
    }

    function update() {
      setters.forEach((set) => set());
      const values = valuesOf(indices), wrong = splc.violated(space, indices, values);
      broken.replaceChildren(...wrong.slice(0, 5).map((text) => make("li", `not valid: ${text}`)));
      parts.replaceChildren();
      if (wrong.length) {
        outcome.textContent = "This configuration is not valid";
        return;
      }
      const [predicted, low, high] = splc.predict(program, values, content.intervals);
      const range = Number.isFinite(low) ? `, 90 % of measurements from ${shown(low)} to ${shown(high)}` : "";
      const unit = program.unit ? ` ${program.unit}` : "";
      outcome.textContent = `${program.property ?? "prediction"}: ${shown(predicted)}${unit}${range}`;
      if (terms.length !== program.printed.terms.length) return;
      const product = program.printed.link === "log";
      const each = splc.contributions(program.printed, values).map((value, at) => [terms[at], value]);
      const moving = each.filter(([, value]) => value !== 0).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
      const rest = product ? Math.log(predicted) - sum(each) : predicted - sum(each);
      if (Number.isFinite(rest) && program.full.length) moving.push(["not in the formula", rest]);
      const largest = Math.max(...moving.map(([, value]) => Math.abs(value)), 1e-300);
      const table = make("table");
      table.append(make("caption", "Contributions of the terms of the formula"));
      for (const [text, value] of moving) {
        const row = make("tr"), cell = make("td");
        cell.append(bar(value / largest));
        const shownValue = product ? `× ${shown(Math.exp(value))}` : `${value > 0 ? "+" : ""}${shown(value)}`;
        row.append(make("td", text), make("td", shownValue, { class: "n" }), cell);
        table.append(row);
      }
      parts.append(table);
    }
    const tools = make("div", undefined, { class: "tools" });
    if (content.best) {
      const best = make("button", "Apply the best", { type: "button" });
      best.addEventListener("click", () => {
        indices = [...content.best];
        update();
      });
      tools.append(best);
    }
    root.append(outcome, broken, area, tools, parts);
    update();
  }
})();
