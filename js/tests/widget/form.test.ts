import { describe, expect, it } from "vitest";
import { buildForm, type Field, readFields, readValue } from "../../src/widget/form";

const field = (schema: Record<string, unknown>, required = false): Field => {
  const [only] = readFields({ properties: { x: schema }, required: required ? ["x"] : [] });
  if (!only) throw new Error("no field");
  return only;
};

describe("fields", () => {
  it("have a kind for every kind that an elicitation allows", () => {
    const kinds = readFields({
      properties: {
        s: { type: "string" },
        n: { type: "number" },
        i: { type: "integer" },
        b: { type: "boolean" },
        e: { type: "string", enum: ["a"] },
        o: { type: "string", oneOf: [{ const: "a", title: "A" }] },
        m: { type: "array", items: { type: "string", enum: ["a"] } },
        t: { type: "array", items: { anyOf: [{ const: "a", title: "A" }] } },
        odd: 5,
      },
    }).map(({ kind }) => kind);
    expect(kinds).toEqual([
      "string",
      "number",
      "integer",
      "boolean",
      "choice",
      "choice",
      "choices",
      "choices",
      "string",
    ]);
  });

  it("take titles of choices from any of the spellings", () => {
    const titles = (schema: Record<string, unknown>) => field(schema).choices.map(({ title }) => title);
    expect(titles({ enum: ["a", "b"], enumNames: ["Alpha"] })).toEqual(["Alpha", "b"]);
    expect(titles({ oneOf: [{ const: "a", title: "Alpha" }, { const: "b" }] })).toEqual(["Alpha", "b"]);
    expect(titles({ type: "array", items: { anyOf: [{ const: "a", title: "Alpha" }] } })).toEqual(["Alpha"]);
  });

  it("of a schema that is none are none", () => {
    expect(readFields({})).toEqual([]);
    expect(readFields({ properties: [], required: 3 })).toEqual([]);
  });
});

describe("values", () => {
  it.each([
    [{ type: "string" }, "x", "x"],
    [{ type: "string", format: "email" }, "a@b.c", "a@b.c"],
    [{ type: "string", format: "uri" }, "https://a.b", "https://a.b"],
    [{ type: "string", format: "date" }, "2026-02-28", "2026-02-28"],
    [{ type: "string", format: "date-time" }, "2026-02-28T10:00:00Z", "2026-02-28T10:00:00Z"],
    [{ type: "number" }, "1.5", 1.5],
    [{ type: "integer", minimum: 1, maximum: 3 }, "3", 3],
    [{ type: "boolean" }, true, true],
    [{ type: "boolean" }, false, false],
    [{ enum: ["a"] }, "a", "a"],
    [{ type: "array", items: { enum: ["a", "b"] } }, ["b"], ["b"]],
  ])("%j takes %j", (schema, raw, value) => expect(readValue(field(schema, true), raw)).toEqual({ value }));

  it.each([
    [{ type: "string", minLength: 3 }, "ab"],
    [{ type: "string", maxLength: 1 }, "ab"],
    [{ type: "string", pattern: "^\\d+$" }, "ab"],
    [{ type: "string", format: "email" }, "ab"],
    [{ type: "string", format: "uri" }, "ab"],
    [{ type: "string", format: "date" }, "2026-02-31x"],
    [{ type: "string", format: "date-time" }, "yesterday"],
    [{ type: "number" }, "x"],
    [{ type: "integer" }, "1.5"],
    [{ type: "number", minimum: 2 }, "1"],
    [{ type: "number", maximum: 2 }, "3"],
    [{ type: "string" }, ""],
    [{ type: "array", minItems: 2, items: { enum: ["a", "b"] } }, ["a"]],
    [{ type: "array", maxItems: 1, items: { enum: ["a", "b"] } }, ["a", "b"]],
    [{ type: "array", items: { enum: ["a", "b"] } }, []],
  ])("%j refuses %j in words", (schema, raw) =>
    expect(readValue(field(schema, true), raw)).toMatchObject({ problem: expect.stringMatching(/\S/) }),
  );

  it("that are optional and empty are left out", () => {
    expect(readValue(field({ type: "string", minLength: 3 }), "")).toBeUndefined();
    expect(readValue(field({ type: "integer" }), "")).toBeUndefined();
    expect(readValue(field({ type: "array", minItems: 1, items: { enum: ["a"] } }), [])).toBeUndefined();
  });

  it("of a local time get a zone", () => {
    const read = readValue(field({ type: "string", format: "date-time" }), "2026-02-28T10:00");
    expect(read).toEqual({ value: new Date("2026-02-28T10:00").toISOString() });
  });

  it("are not locked by a pattern that is none here", () => {
    expect(readValue(field({ type: "string", pattern: "(" }), "x")).toEqual({ value: "x" });
  });
});

describe("the form", () => {
  const schema = {
    properties: {
      name: { type: "string", title: "Name", description: "As on the badge" },
      count: { type: "integer", default: 2 },
      news: { type: "boolean", default: true },
      size: { enum: ["s", "l"], default: "l" },
      tags: { type: "array", items: { enum: ["a", "b"] }, default: ["b"] },
    },
    required: ["name"],
  };

  it("starts with the defaults and shows what is wrong beside the field", () => {
    const form = buildForm(schema);
    document.body.replaceChildren(form.element);
    expect(form.read()).toBeUndefined();
    const name = form.element.querySelector<HTMLInputElement>("[name=name]");
    const error = document.getElementById(`${name?.id}-error`);
    expect(error?.textContent).toBe("Required.");
    expect(name?.getAttribute("aria-invalid")).toBe("true");
    expect(document.activeElement).toBe(name);
    if (name) name.value = "Ada";
    expect(form.read()).toEqual({ name: "Ada", count: 2, news: true, size: "l", tags: ["b"] });
    expect(error?.textContent).toBe("");
  });

  it("keeps text of the server as text", () => {
    const evil = "<img src=x onerror=alert(1)>";
    const { element } = buildForm({
      properties: { [evil]: { title: evil, description: evil, enum: [evil] } },
    });
    expect(element.querySelector("img")).toBeNull();
    expect(element.textContent).toContain(evil);
  });

  it("cannot pollute prototypes by a field's name", () => {
    const form = buildForm(JSON.parse('{"properties":{"__proto__":{"type":"boolean","default":true}}}'));
    const content = form.read();
    expect(Object.getPrototypeOf(content)).toBe(Object.prototype);
    expect(Object.keys(content ?? {})).toEqual(["__proto__"]);
  });
});
