/** JSON-RPC 2.0 messages between a page and us: what counts as one, and how errors are worded. */

import { isObject, type JsonObject } from "./json";

export type RpcId = string | number;

export interface RpcRequest {
  jsonrpc: "2.0";
  id: RpcId;
  method: string;
  params?: JsonObject;
}

export interface RpcNotification {
  jsonrpc: "2.0";
  method: string;
  params?: JsonObject;
}

export interface RpcResponse {
  jsonrpc: "2.0";
  id: RpcId;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

export type RpcMessage = RpcRequest | RpcNotification | RpcResponse;

export const INVALID_REQUEST = -32600;
export const INVALID_PARAMS = -32602;
/** Implementation-defined: a limit was hit, or nobody is there to answer. */
export const SERVER_ERROR = -32000;

/** Whether `value` can be a request id here: strings and finite numbers, so that it can key a `Map`. */
export function isId(value: unknown): value is RpcId {
  return typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
}

export type Classified =
  | { kind: "request"; message: RpcRequest }
  | { kind: "notification"; message: RpcNotification }
  | { kind: "response"; message: RpcResponse }
  | { kind: "invalid"; id: RpcId | null; reason: string };

/** What a parsed JSON value is in JSON-RPC terms. */
export function classify(value: unknown): Classified {
  if (!isObject(value)) return { kind: "invalid", id: null, reason: "a message is a JSON object" };
  const id = isId(value.id) ? value.id : null;
  const invalid = (reason: string): Classified => ({ kind: "invalid", id, reason });
  if (value.jsonrpc !== "2.0") return invalid('"jsonrpc" must be "2.0"');
  const hasId = Object.hasOwn(value, "id");
  if (hasId && id === null) return invalid('"id" must be a string or a finite number');
  if (Object.hasOwn(value, "method")) {
    if (typeof value.method !== "string" || value.method === "") return invalid('"method" must be a string');
    if (value.params !== undefined && !isObject(value.params)) return invalid('"params" must be an object');
    const message = value as unknown as RpcRequest;
    return hasId ? { kind: "request", message } : { kind: "notification", message };
  }
  const answers = Number(Object.hasOwn(value, "result")) + Number(Object.hasOwn(value, "error"));
  if (!hasId || answers !== 1)
    return invalid('neither a "method" nor one of "result" and "error" with an "id"');
  if (Object.hasOwn(value, "error") && !isObject(value.error)) return invalid('"error" must be an object');
  return { kind: "response", message: value as unknown as RpcResponse };
}

export function result(id: RpcId, value: unknown): RpcResponse {
  return { jsonrpc: "2.0", id, result: value };
}

/** An error answer. `id` is null only when the request's own id was unusable (JSON-RPC 2.0, 5.1). */
export function failure(id: RpcId | null, code: number, message: string, data?: unknown): RpcResponse {
  const error = data === undefined ? { code, message } : { code, message, data };
  return { jsonrpc: "2.0", id: id as RpcId, error };
}

export function notification(method: string, params: JsonObject): RpcNotification {
  return { jsonrpc: "2.0", method, params };
}
