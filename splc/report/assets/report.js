"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const texts = JSON.parse(document.getElementById("rows").textContent);
  const short = (number) => String(+number.toPrecision(4)).replace("-", "−");
  const rowText = (row) => {
    const [measured, predicted] = texts.values[row].map(short);
    return `${texts.rows[row].map((at) => texts.words[at]).join(", ")}: measured ${measured}, predicted ${predicted}`;
  };
  const tip = document.getElementById("tip");

  // Points of one row of the measurements belong together in all pictures and tables.
  const series = all("path.dots[data-k]").map((path) => {
    const keys = path.dataset.k.split(",").flatMap((part) => {
      const [first, last = first] = part.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, at) => first + at);
    });
    const places = [...path.getAttribute("d").matchAll(/M([-\d.]+) ([-\d.]+)/g)].map((m) => [+m[1], +m[2]]);
    const place = new Map(keys.map((key, at) => [key, places[at]]));
    return { path, keys, places, place, svg: path.ownerSVGElement };
  });
  let chosen = null;
  function choose(key, text, at) {
    all(".hot-dot").forEach((dot) => dot.remove());
    all("tr.hot").forEach((row) => row.classList.remove("hot"));
    chosen = key;
    tip.hidden = key === null;
    if (key === null) return;
    for (const each of series) {
      const place = each.place.get(key);
      if (!place) continue;
      each.path.after(draw("circle", { class: "hot-dot", cx: place[0], cy: place[1], r: 6 }));
    }
    all(`tr[data-k="${key}"]`).forEach((row) => row.classList.add("hot"));
    tip.textContent = text;
    const wide = Math.min(320, innerWidth - 24);
    tip.style.left = `${Math.max(8, Math.min(at[0] + 14, innerWidth - wide - 12))}px`;
    tip.style.top = `${Math.min(at[1] + 14, innerHeight - 90)}px`;
  }
  for (const svg of new Set(series.map((each) => each.svg))) {
    const own = series.filter((each) => each.svg === svg);
    svg.addEventListener("pointermove", (event) => {
      const matrix = svg.getScreenCTM().inverse();
      const x = matrix.a * event.clientX + matrix.e, y = matrix.d * event.clientY + matrix.f;
      let best = 144, found = null;
      for (const each of own)
        each.places.forEach((place, at) => {
          const far = (place[0] - x) ** 2 + (place[1] - y) ** 2;
          if (far < best) [best, found] = [far, each.keys[at]];
        });
      if (found !== chosen || found !== null) choose(found, found === null ? "" : rowText(found), [event.clientX, event.clientY]);
    });
    svg.addEventListener("pointerleave", () => choose(null));
  }
  for (const row of all("tr[data-k]")) {
    const key = Number(row.dataset.k);
    const show = () => {
      const box = row.getBoundingClientRect();
      choose(key, rowText(key), [box.left, box.bottom]);
    };
    row.addEventListener("pointerenter", show);
    row.addEventListener("focus", show);
    row.addEventListener("pointerleave", () => choose(null));
    row.addEventListener("blur", () => choose(null));
  }

  // A slider chooses one of several states.
  for (const steps of all(".steps")) {
    const states = all(".state", steps);
    const first = Math.max(0, states.findIndex((state) => "chosen" in state.dataset));
    const label = make("label", `${steps.dataset.label}: `);
    const slider = make("input", undefined, { type: "range", min: 0, max: states.length - 1, value: first });
    const output = make("output", "");
    label.append(slider, output);
    const show = () => {
      states.forEach((state, at) => (state.hidden = at !== +slider.value));
      output.textContent = ` ${states[+slider.value].dataset.state}`;
      slider.setAttribute("aria-valuetext", states[+slider.value].dataset.state);
    };
    slider.addEventListener("input", show);
    all("h3", steps).forEach((title) => title.remove());
    steps.prepend(label);
    show();
  }

  // Copies of pictures and tables.
  function copy(text, button) {
    const done = () => {
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = button.dataset.text), 1200);
    };
    const area = make("textarea", "", { "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    if (copied) done();
    else if (navigator.clipboard) navigator.clipboard.writeText(text).then(done);
  }
  // A cell that a spreadsheet would run as a formula is quoted.
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) && !/^[-+]?[\d.]/.test(text) ? `'${text}` : text;
    return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  function csv(columns) {
    const names = Object.keys(columns), length = Math.max(0, ...names.map((name) => columns[name].length));
    const lines = [names.map(cell).join(",")];
    for (let at = 0; at < length; at++) lines.push(names.map((name) => cell(columns[name][at])).join(","));
    return lines.join("\n") + "\n";
  }
  function button(text, action) {
    const found = make("button", text, { type: "button", "data-text": text });
    found.addEventListener("click", () => copy(action(), found));
    return found;
  }
  const style = document.querySelector("style").textContent.split("\n:root")[0];
  function picture(figure) {
    const panels = all("svg", figure);
    let top = 0, wide = 0;
    const keys = all(".key", figure).map((key) => {
      const role = key.firstElementChild.className.split("b-")[1];
      top += 18;
      return draw("g", {}, draw("rect", { class: `bar f-${role}`, x: 6, y: top - 12, width: 11, height: 11 }),
        draw("text", { x: 24, y: top - 2 }, key.textContent)).outerHTML;
    });
    const parts = panels.map((svg) => {
      const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
      const part = `<g transform="translate(0 ${top})">${svg.innerHTML}</g>`;
      top += height;
      wide = Math.max(wide, width);
      return part;
    });
    const size = `width="${wide}" height="${top}" viewBox="0 0 ${wide} ${top}"`;
    return `<svg xmlns="${SVG}" class="chart" ${size}><style>${style}</style><rect width="100%" height="100%" fill="#fff"/>${keys.join("")}${parts.join("")}</svg>`;
  }
  // Rows are sorted by a column, ascending at first; cells without a value are last.
  function sortable(table) {
    const body = table.tBodies[0], heads = all("thead th", table);
    if (body.rows.length < 3) return;
    const number = (text) => parseFloat(text.replaceAll(",", "").replace("−", "-"));
    heads.forEach((head, at) => {
      const sort = make("button", head.textContent, { type: "button", class: "sort" });
      head.replaceChildren(sort);
      sort.addEventListener("click", () => {
        const numeric = head.className === "n";
        const falling = head.getAttribute("aria-sort") === "ascending", sign = falling ? -1 : 1;
        const key = (row) => (numeric ? number(row.cells[at].textContent) : row.cells[at].textContent);
        const missing = (value) => value === "" || Number.isNaN(value);
        const rows = [...body.rows].map((row) => [key(row), row]).sort(([a], [b]) =>
          missing(a) - missing(b) || sign * (numeric ? a - b : a.localeCompare(b, "en", { numeric: true })) || 0);
        body.append(...rows.map(([, row]) => row));
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      });
    });
  }
  for (const figure of all("figure")) {
    const tools = make("div", undefined, { class: "tools" });
    const data = figure.querySelector("script.data");
    if (data) tools.append(button("Copy as CSV", () => csv(JSON.parse(data.textContent))));
    tools.append(button("Copy as SVG", () => picture(figure)));
    figure.append(tools);
  }
  for (const table of all("table")) {
    const tools = make("div", undefined, { class: "tools" });
    tools.append(
      button("Copy as CSV", () => {
        const lines = all("tr", table).map((row) => all("th,td", row).map((each) => cell(each.textContent)).join(","));
        return lines.join("\n") + "\n";
      }),
    );
    table.parentElement.after(tools);
    sortable(table);
  }
})();
