
// Controls for all options, with the prediction of the chosen configuration.
(() => {
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
    // A waterfall: each bar begins where the one above ends.
    function bar(start, end, role, [low, high]) {
      const place = (value) => Math.max(0, (180 * (value - low)) / (high - low || 1));
      const size = { x: Math.min(place(start), place(end)), width: Math.max(Math.abs(place(end) - place(start)), 0.8) };
      return draw("svg", { width: 182, height: 12, class: "chart", "aria-hidden": "true" },
        draw("path", { class: "grid", d: `M${place(0)} 0V12` }),
        draw("rect", { ...size, y: 1, height: 10, class: `bar f-${role}` }));
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
      const within = Number.isFinite(low) ? `, 90 % of measurements from ${shown(low)} to ${shown(high)}` : "";
      const unit = program.unit ? ` ${program.unit}` : "";
      outcome.textContent = `${program.property ?? "prediction"}: ${shown(predicted)}${unit}${within}`;
      if (terms.length !== program.printed.terms.length) return;
      const product = program.printed.link === "log";
      const each = splc.contributions(program.printed, values).map((value, at) => [terms[at], value]);
      const moving = each.filter(([, value]) => value !== 0).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
      const rest = product ? Math.log(predicted) - sum(each) : predicted - sum(each);
      if (Number.isFinite(rest) && program.full.length) moving.push(["not in the formula", rest]);
      const ends = moving.reduce((found, [, value]) => [...found, found.at(-1) + value], [0]);
      // From 0 where that is near; otherwise the constant would hide all differences.
      const shownEnds = ends.slice(1), top = Math.max(...shownEnds), least = Math.min(...shownEnds), span = top - least;
      const range = [least > 2 * span ? least - span / 4 : Math.min(least, 0), Math.max(top, least > 0 ? top : 0)];
      const table = make("table");
      table.append(make("caption", "Contributions of the terms of the formula"));
      const line = (text, value, start, end, role) => {
        const row = make("tr"), cell = make("td");
        cell.append(bar(start, end, role, range));
        row.append(make("td", text), make("td", value, { class: "n" }), cell);
        table.append(row);
      };
      moving.forEach(([text, value], at) => {
        const step = product ? `× ${shown(Math.exp(value))}` : `${value > 0 ? "+" : ""}${shown(value)}`;
        line(text, step, ends[at], ends[at + 1], value < 0 ? "fall" : "rise");
      });
      const total = ends.at(-1);
      line("prediction", shown(product ? Math.exp(total) : total), 0, total, "measured");
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
