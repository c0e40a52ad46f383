// The prediction of a program (docs/reference/programs.md), and the constraints of a system. Values are numbers; null is deselected.
const splc = (() => {
  const LIMIT = 600;
  const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
  const near = (a, b, relative, absolute = 0) => Math.abs(a - b) <= absolute + relative * Math.abs(b);

  const scales = {
    forward: (scale, y) =>
      scale.name === "log" || scale.name === "shifted_log" ? Math.log(y + scale.shift)
      : scale.name === "asinh" ? Math.asinh(y) : y - scale.positive,
    backward(scale, t) {
      const limited = Math.min(Math.max(t, -LIMIT), LIMIT);
      const y =
        scale.name === "log" || scale.name === "shifted_log" ? Math.exp(limited) - scale.shift
        : scale.name === "asinh" ? Math.sinh(limited) : t + scale.positive;
      return Math.max(y, scale.lowest);
    },
    noise: (scale, y) => (scale.name !== "raw" ? 1 : scale.positive ? y * y : y * y + scale.constant_noise ** 2),
    divisor: (scale, y) =>
      scale.positive ? y
      : scale.name === "raw" ? Math.sqrt(scales.noise(scale, y))
      : scale.name === "shifted_log" ? y + scale.shift
      : scale.name === "asinh" ? Math.sqrt(y * y + 1) : 1,
    slope(scale, y) {
      const rate =
        scale.name === "log" || scale.name === "shifted_log" ? y + scale.shift
        : scale.name === "asinh" ? Math.sqrt(y * y + 1) : 1;
      return rate / scales.divisor(scale, y);
    },
  };

  // The full model: Gaussian processes whose kernels are products over variables.
  function shape({ shape: name, a, b, c }, x) {
    if (name === "presence") return x === null ? -1 : 1;
    if (x === null) return 0;
    if (name === "level") return x === a ? 1 : -1;
    if (name === "threshold") return ((x >= a ? 1 : 0) - b) / c;
    const transform = name.replace("^2", "");
    const found = ((transform === "identity" ? x : transform === "ln" ? Math.log(x) : Math.log1p(x)) - a) / b;
    return transform === name ? found : found ** 2 - c;
  }
  function columns(variable, values) {
    if (variable.shapes.length) return variable.shapes.map((each) => shape(each, values[variable.options[0]]));
    const chosen = variable.options.findIndex((name) => values[name] === 1);
    return variable.columns[chosen < 0 ? variable.columns.length - 1 : chosen];
  }
  function kernel(process, one, rows, own) {
    const count = rows[0].length, products = new Float64Array(count).fill(1), distances = new Float64Array(count);
    process.variables.forEach((variable, at) => {
      const relevances = one.relevances[at], mine = own[at], states = rows[at];
      const factors = [], squares = [];
      for (const each of variable.columns) {
        let product = 0, square = 0;
        for (let k = 0; k < each.length; k++) {
          product += relevances[k] * mine[k] * each[k];
          square += relevances[k] * (mine[k] - each[k]) ** 2;
        }
        factors.push(1 + one.interaction * product);
        squares.push(square);
      }
      for (let row = 0; row < count; row++) {
        products[row] *= factors[states[row]];
        distances[row] += squares[states[row]];
      }
    });
    return products.map((product, row) => {
      const root = Math.sqrt(3 * one.width * distances[row]);
      return 1 + (product - 1) / one.interaction + one.stationary * (1 + root) * Math.exp(-root);
    });
  }
  const known = new WeakMap();
  function states(process) {
    if (!known.has(process))
      known.set(process, {
        rows: process.variables.map((each) => Array.from(each.rows, (state) => state.codePointAt(0) - 48)),
        factors: new Map(),
      });
    return known.get(process);
  }
  function factor(process, one) {
    const { rows, factors } = states(process);
    if (!factors.has(one)) {
      const found = [];
      process.noises.forEach((noise, at) => {
        const before = rows.map((each) => each.slice(0, at + 1));
        const own = process.variables.map((each, place) => each.columns[rows[place][at]]);
        const values = kernel(process, one, before, own);
        values[at] += one.noise * noise + process.jitter;
        const row = new Float64Array(at + 1);
        for (let column = 0; column <= at; column++) {
          let value = values[column];
          const other = column < at ? found[column] : row;
          for (let k = 0; k < column; k++) value -= row[k] * other[k];
          row[column] = column < at ? value / other[column] : Math.sqrt(value);
        }
        found.push(row);
      });
      factors.set(one, found);
    }
    return factors.get(one);
  }
  function variance(process, one, own, cross) {
    const white = [];
    factor(process, one).forEach((row, at) => {
      let value = cross[at];
      for (let k = 0; k < at; k++) value -= row[k] * white[k];
      white.push(value / row[at]);
    });
    let product = 1;
    own.forEach((each, at) => {
      product *= 1 + one.interaction * sum(each.map((value, k) => one.relevances[at][k] * value * value));
    });
    const prior = 1 + (product - 1) / one.interaction + one.stationary;
    return one.deviation ** 2 * Math.max(prior - sum(white.map((each) => each * each)), 0);
  }
  function processed(program, process, values, wide) {
    const scale = process.scale;
    let mean = process.constant, deviation = process.spread ?? NaN;
    // Whether a row has these values of the options that make a setting, which the printed model has no part in.
    const isKnown = () => process.same?.length && process.noises.some((_, row) => process.same.every((at) => {
      const columnsOfRow = process.variables[at].columns[states(process).rows[at][row]];
      return columns(process.variables[at], values).every((value, k) => near(value, columnsOfRow[k], 0, 1e-9));
    }));
    const blended = (own) => {
      if (isKnown()) return own;
      const found = process.printed ? printed(program.printed, values)[0] : NaN;
      const t = scales.forward(scale, Math.max(found / scale.unit, scale.lowest));
      return Number.isFinite(t) ? (1 - process.printed) * own + process.printed * t : own;
    };
    if (process.kernels.length) {
      const own = process.variables.map((each) => columns(each, values));
      const crosses = process.kernels.map((one) => kernel(process, one, states(process).rows, own));
      const means = process.kernels.map(
        (one, at) => one.mean + one.deviation * one.weights.reduce((total, weight, row) => total + weight * crosses[at][row], 0),
      );
      mean = sum(means) / means.length;
      if (wide) {
        const variances = process.kernels.map((one, at) => variance(process, one, own, crosses[at]));
        const latent = (sum(variances) + sum(means.map((each) => (each - mean) ** 2))) / means.length;
        const y = scales.backward(scale, blended(mean));
        deviation = Math.sqrt(latent + (process.noise * scales.noise(scale, y)) / process.noise_unit);
      }
    }
    const y = scales.backward(scale, blended(mean)), unit = scale.unit;
    if (!wide) return [y * unit, NaN, NaN];
    const rate = scales.slope(scale, y), width = Math.hypot(process.quantile * deviation * rate, process.runs ?? 0);
    if (scale.positive) {
      const ratio = Math.exp(Math.min(width, LIMIT));
      return [y * unit, (y / ratio) * unit, y * ratio * unit];
    }
    const t = scales.forward(scale, y), half = width / rate;
    return [y * unit, scales.backward(scale, t - half) * unit, scales.backward(scale, t + half) * unit];
  }

  // The printed model: a sum of terms.
  const special = {
    sum: (...values) => sum(values), power: Math.pow, ln: Math.log,
    ceil: (x) => rounded(x, Math.ceil), floor: (x) => rounded(x, Math.floor),
  };
  // Other functions have the names that JavaScript gives them.
  const call = (name, values) => (special[name] ?? Math[name])(...values);
  function rounded(x, round) {
    const whole = Math.round(x);
    return near(x, whole, 1e-12, 1e-12) ? whole : round(x);
  }
  function compared(name, first, second) {
    const equal = near(first, second, 1e-12);
    const beyond = name[0] === ">" ? first > second : first < second;
    return Number(name.endsWith("=") ? equal || beyond : beyond && !equal);
  }
  function term(each, values, functions) {
    let found = each.influence;
    for (const { option, function: place, power, log10 } of each.factors) {
      const base = place === null ? values[option] : functions[place];
      if (base === null) return 0;
      found *= power === 1 ? base : Math.pow(base, power);
      if (log10) found *= log10 === 1 ? Math.log10(base) : Math.pow(Math.log10(base), log10);
    }
    return found;
  }
  function functions(model, values) {
    const found = [];
    for (const { function: name, options, arguments: given } of model.functions) {
      if (name === "selected" || name === "deselected") {
        found.push(Number((values[options[0]] === null) === (name === "deselected")));
        continue;
      }
      if (options.length && options.every((each) => values[each] === null)) {
        found.push(null);
        continue;
      }
      const numbers = given.map((terms) => sum(terms.map((each) => term(each, values, found))));
      found.push(name[0] === "<" || name[0] === ">" ? compared(name, ...numbers) : call(name, numbers));
    }
    return found;
  }
  const contributions = (model, values) => {
    const own = functions(model, values);
    return model.terms.map((each) => term(each, values, own));
  };
  function printed(model, values) {
    const total = sum(contributions(model, values));
    const predicted = model.link === "log" ? Math.exp(total) : total;
    if (!model.intervals) return [predicted, NaN, NaN];
    const { scale, quantile } = model.intervals;
    if (scale.positive) {
      const ratio = Math.exp(Math.min(quantile, LIMIT));
      return [predicted, ...[predicted / ratio, predicted * ratio].sort((a, b) => a - b)];
    }
    const half = quantile * scales.divisor(scale, predicted / scale.unit) * scale.unit;
    return [predicted, predicted - half, predicted + half];
  }

  // [prediction, lower end, upper end] of the full model, or of the printed one if there is no other.
  function predict(program, values, wide = false) {
    if (!program.full.length) return printed(program.printed, values);
    const parts = program.full
      .filter((each) => each.where === null || values[each.where] === 1)
      .map((each) => processed(program, each, values, wide));
    return [0, 1, 2].map((at) => sum(parts.map((each) => each[at])));
  }

  // Constraints: the texts of those that do not hold.
  const TOLERANCE = 1e-9;
  function evaluate([kind, ...parts], value) {
    switch (kind) {
      case "number": return parts[0];
      case "name": return value(parts[0]);
      case "sum": return sum(parts.map(([sign, node]) => sign * evaluate(node, value)));
      case "product": {
        let above = 1, below = 1;
        for (const [side, node] of parts) side > 0 ? (above *= evaluate(node, value)) : (below *= evaluate(node, value));
        return below === 0 ? 0 : above / below;
      }
      case "power": {
        const [base, exponent] = parts.map((node) => evaluate(node, value));
        return base === 0 && exponent < 0 ? 0 : Math.pow(base, exponent);
      }
      case "threshold": return compared(parts[0], evaluate(parts[1], value), evaluate(parts[2], value));
      case "logarithm": {
        const x = evaluate(parts[1], value);
        return x === 0 ? 0 : call(parts[0], [x]);
      }
      default: return call(kind, parts.map((node) => evaluate(node, value)));
    }
  }
  const comparisons = {
    ">=": (d, equal) => d > 0 || equal, "<=": (d, equal) => d < 0 || equal, "=": (d, equal) => equal,
    "!=": (d, equal) => !equal, ">": (d, equal) => d > 0 && !equal, "<": (d, equal) => d < 0 && !equal,
  };
  function holds(constraint, values) {
    const value = (name) => {
      if (name in constraint.switches) {
        const [option, enabled] = constraint.switches[name];
        return Number((values[option] !== null) === enabled);
      }
      return name in values ? values[name] : 1;
    };
    if (constraint.names.some((name) => value(name) === null)) return true;
    if (constraint.requires === "all" && constraint.selected.some((name) => value(name) === 0)) return true;
    const left = evaluate(constraint.left, value), right = evaluate(constraint.right, value);
    const difference = left === right ? 0 : left - right;
    const size = Math.max(Math.abs(left), Math.abs(right));
    const equal = Math.abs(difference) <= TOLERANCE * Math.max(Number.isFinite(size) ? size : 1, 1);
    return comparisons[constraint.comparison](difference, equal) !== constraint.negated;
  }
  function violated(space, indices, values) {
    const found = space.clauses.filter((each) => !each.literals.some(([at, allowed]) => allowed[indices[at]] === "1"));
    const wrong = space.comparisons.filter((each) => !holds(each, values));
    return [...found, ...wrong].map((each) => each.text);
  }
  return { predict, printed, contributions, violated };
})();
if (typeof module !== "undefined") module.exports = splc;
