/**
 * The form of an elicitation: a flat JSON Schema object as labelled fields.
 *
 * Covers the kinds that MCP elicitation allows: strings (with formats and lengths), numbers, integers, booleans,
 * single choices (`enum`, `enumNames`, `oneOf` with titles) and multiple choices (arrays of an `enum` or `anyOf`).
 */

import { h } from "./dom";
import { cleanLine, isObject, type JsonObject, spellOut } from "./json";

export interface Choice {
  value: string;
  title: string;
}

export interface Field {
  name: string;
  label: string;
  description: string;
  required: boolean;
  schema: JsonObject;
  kind: "string" | "number" | "integer" | "boolean" | "choice" | "choices";
  choices: Choice[];
}

export interface Form {
  element: HTMLFormElement;
  /** The answers, or `undefined` after showing what is wrong beside each field. */
  read(): JsonObject | undefined;
}

function choicesOf(schema: JsonObject): Choice[] {
  if (Array.isArray(schema.enum)) {
    const names = Array.isArray(schema.enumNames) ? schema.enumNames : [];
    return schema.enum.map((value, i) => ({
      value: String(value),
      title: cleanLine(typeof names[i] === "string" ? names[i] : value, 200),
    }));
  }
  for (const key of ["oneOf", "anyOf"]) {
    const options = schema[key];
    if (!Array.isArray(options)) continue;
    const known = options.filter((option) => isObject(option) && Object.hasOwn(option, "const"));
    if (known.length > 0) {
      return known.map((option) => ({
        value: String(option.const),
        title: cleanLine(option.title ?? option.const, 200),
      }));
    }
  }
  return [];
}

/** The fields of a schema, in its order. Unknown kinds become text. */
export function readFields(schema: JsonObject): Field[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).map(([name, value]) => {
    const property = isObject(value) ? value : {};
    let choices = choicesOf(property);
    let kind: Field["kind"] = "string";
    if (property.type === "array") {
      choices = isObject(property.items) ? choicesOf(property.items) : [];
      kind = "choices";
    } else if (choices.length > 0) kind = "choice";
    else if (property.type === "number" || property.type === "integer" || property.type === "boolean") {
      kind = property.type;
    }
    return {
      name,
      label: cleanLine(property.title, 200) || cleanLine(name, 200),
      description: cleanLine(property.description, 500),
      required: required.includes(name),
      schema: property,
      kind,
      choices,
    };
  });
}

const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** What is wrong with a text for its schema, if anything. */
function textProblem(text: string, schema: JsonObject): string | undefined {
  const length = [...text].length;
  const least = number(schema.minLength);
  const most = number(schema.maxLength);
  if (least !== undefined && length < least) return `At least ${least} characters.`;
  if (most !== undefined && length > most) return `At most ${most} characters.`;
  if (typeof schema.pattern === "string" && !matches(text, schema.pattern))
    return `Must match ${schema.pattern}.`;
  if (schema.format === "email" && !/^[^\s@]+@[^\s@]+\.?[^\s@]*$/.test(text))
    return "An e-mail address, please.";
  if (schema.format === "uri" && !URL.canParse(text)) return "A full address, please (https://…).";
  if (schema.format === "date" && !isDate(text)) return "A date, please (YYYY-MM-DD).";
  if (schema.format === "date-time" && Number.isNaN(Date.parse(text))) return "A date and time, please.";
  return undefined;
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

function matches(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true; // The server checks it; a pattern that is no pattern here must not lock the form.
  }
}

/** What is wrong with a number for its schema, if anything. */
function numberProblem(value: number, field: Field): string | undefined {
  const least = number(field.schema.minimum);
  const most = number(field.schema.maximum);
  if (!Number.isFinite(value)) return "A number, please.";
  if (field.kind === "integer" && !Number.isInteger(value)) return "A whole number, please.";
  if (least !== undefined && value < least) return `At least ${least}.`;
  if (most !== undefined && value > most) return `At most ${most}.`;
  return undefined;
}

type Reading = { value: unknown } | { problem: string } | undefined;

/** The value that a field's raw input stands for; `undefined` for an optional field left empty. */
export function readValue(field: Field, raw: string | boolean | string[]): Reading {
  if (field.kind === "boolean") return { value: raw === true };
  if (field.kind === "choices") {
    const values = Array.isArray(raw) ? raw : [];
    const least = number(field.schema.minItems) ?? (field.required ? 1 : 0);
    const most = number(field.schema.maxItems);
    if (values.length === 0 && !field.required) return undefined;
    if (values.length < least) return { problem: `Choose at least ${least}.` };
    if (most !== undefined && values.length > most) return { problem: `Choose at most ${most}.` };
    return { value: values };
  }
  const text = String(raw);
  if (text === "") return field.required ? { problem: "Required." } : undefined;
  if (field.kind === "number" || field.kind === "integer") {
    const value = Number(text);
    const problem = numberProblem(value, field);
    return problem ? { problem } : { value };
  }
  if (field.kind === "choice") return { value: text };
  const problem = textProblem(text, field.schema);
  if (problem) return { problem };
  // A browser's local date and time says no zone; a JSON Schema date-time must.
  const zoneless = field.schema.format === "date-time" && !/(z|[+-]\d\d:?\d\d)$/i.test(text);
  return { value: zoneless ? new Date(text).toISOString() : text };
}

interface Control {
  element: HTMLElement;
  raw(): string | boolean | string[];
}

const INPUT_TYPES: Record<string, string> = {
  email: "email",
  uri: "url",
  date: "date",
  "date-time": "datetime-local",
};

function control(field: Field, id: string): Control {
  const initial = field.schema.default;
  const common = { id, name: field.name };
  if (field.kind === "boolean") {
    const box = h("input", { ...common, type: "checkbox" });
    box.checked = initial === true;
    return { element: box, raw: () => box.checked };
  }
  if (field.kind === "choices") {
    const chosen = Array.isArray(initial) ? initial.map(String) : [];
    const boxes = field.choices.map(({ value }) => {
      const box = h("input", { type: "checkbox", value });
      box.checked = chosen.includes(value);
      return box;
    });
    const labels = boxes.map((box, i) => h("label", {}, box, field.choices[i]?.title ?? ""));
    const group = h(
      "div",
      { id, class: "mcpapp-choices", role: "group", "aria-label": field.label },
      ...labels,
    );
    return { element: group, raw: () => boxes.filter((box) => box.checked).map((box) => box.value) };
  }
  if (field.kind === "choice") {
    const empty = h("option", { value: "" }, field.required ? "Choose…" : "—");
    const options = field.choices.map(({ value, title }) => h("option", { value }, title));
    const select = h("select", common, empty, ...options);
    if (initial !== undefined) select.value = String(initial);
    return { element: select, raw: () => select.value };
  }
  const numeric = field.kind !== "string";
  const type = numeric ? "number" : (INPUT_TYPES[String(field.schema.format)] ?? "text");
  const input = h("input", { ...common, type, autocomplete: "off", spellcheck: "false" });
  if (numeric) {
    input.step = field.kind === "integer" ? "1" : "any";
    input.min = String(number(field.schema.minimum) ?? "");
    input.max = String(number(field.schema.maximum) ?? "");
  }
  if (typeof initial === "string" || typeof initial === "number")
    input.value = spellOut(localValue(initial, type));
  // What the browser cannot read as a number or a date reads as "": that is wrong, not left empty.
  return {
    element: input,
    raw: () => (input.value === "" && input.validity?.badInput ? "invalid" : input.value),
  };
}

/** A default in the spelling of its input: `datetime-local` takes local time without a zone. */
function localValue(value: string | number, type: string): string {
  if (type !== "datetime-local") return String(value);
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

let forms = 0;

/** A form for `schema`, filled with its defaults. */
export function buildForm(schema: JsonObject): Form {
  const prefix = `mcpapp-form-${++forms}`;
  const rows = readFields(schema).map((field, i) => {
    const id = `${prefix}-${i}`;
    const input = control(field, id);
    const error = h("div", { class: "mcpapp-error", id: `${id}-error`, role: "alert" });
    const label = h("label", { for: id, class: field.required ? "mcpapp-required" : "" }, field.label);
    const description = field.description
      ? h("div", { class: "mcpapp-quiet", id: `${id}-about` }, field.description)
      : undefined;
    input.element.setAttribute("aria-required", String(field.required));
    input.element.setAttribute("aria-describedby", `${id}-about ${id}-error`);
    const row = h(
      "div",
      { class: `mcpapp-field mcpapp-field-${field.kind}` },
      label,
      input.element,
      description,
      error,
    );
    return { field, input, error, row };
  });
  const element = h("form", { class: "mcpapp-form", novalidate: true }, ...rows.map(({ row }) => row));
  // Enter submits only where a form has a submit button.
  element.append(h("button", { type: "submit", hidden: true }));
  const read = () => {
    const content: [string, unknown][] = [];
    let first: HTMLElement | undefined;
    for (const { field, input, error } of rows) {
      const reading = readValue(field, input.raw());
      const problem = reading && "problem" in reading ? reading.problem : "";
      error.textContent = problem;
      input.element.setAttribute("aria-invalid", String(problem !== ""));
      if (problem) first ??= input.element;
      else if (reading && "value" in reading) content.push([field.name, reading.value]);
    }
    first?.focus();
    return first ? undefined : (Object.fromEntries(content) as JsonObject);
  };
  return { element, read };
}
