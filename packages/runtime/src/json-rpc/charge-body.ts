/**
 * Charges a body before it is parsed: tokens for its size, taken before it is scanned, and for its structure, which the scan
 * counts. They count towards the prices of its calls (dispatch.ts), which cover a body of usual size.
 */
import type { RpcCaller } from './access/rpc-access.ts'
import { type JsonShape, jsonShapeOf } from './json-shape.ts'

/** Characters per token: rounded up for a body, down for an answer. Copying and rendering text takes thread time. */
export const TEXT_PER_TOKEN = 64 * 1024
/** Brackets, commas and colons per token: parsing takes at most 0.3 us for each. */
export const STRUCTURE_PER_TOKEN = 5_000
/** Limit on nesting; no served method needs more than a dozen levels. */
export const MAX_DEPTH = 64
/**
 * Limit on brackets, commas and colons in an untrusted body: at worst 30 ms of parsing. The largest useful request has
 * a fifth.
 */
export const MAX_STRANGER_STRUCTURE = 100_000

export type ChargedBody =
  /** `paid` is the number of tokens taken, prepaid ones included. */
  | { readonly ok: true; readonly paid: number; readonly shape: JsonShape }
  /** Too few tokens; retry after `waitMs` milliseconds. */
  | { readonly ok: false; readonly waitMs: number }

/** `prepaid` is the number of tokens taken before the body was read. */
export function chargeBody(body: string, caller: RpcCaller, prepaid = 0): ChargedBody {
  const sizePrice = Math.max(prepaid, priceOf(body.length, TEXT_PER_TOKEN, caller))
  const waitForSizeMs = sizePrice > prepaid ? caller.take(sizePrice - prepaid) : 0
  if (waitForSizeMs > 0) return { ok: false, waitMs: waitForSizeMs }
  const shape = jsonShapeOf(body, { depth: MAX_DEPTH, structure: caller.known ? Number.POSITIVE_INFINITY : MAX_STRANGER_STRUCTURE })
  const structurePrice = priceOf(shape.structure, STRUCTURE_PER_TOKEN, caller)
  const waitForStructureMs = structurePrice > sizePrice ? caller.take(structurePrice - sizePrice) : 0
  if (waitForStructureMs > 0) return { ok: false, waitMs: waitForStructureMs }
  return { ok: true, paid: Math.max(sizePrice, structurePrice), shape }
}

/** Returns the price of `amount`: zero up to one token's worth, and at most the caller's burst, which no waiting could exceed. */
function priceOf(amount: number, perToken: number, { burst }: RpcCaller): number {
  return amount > perToken ? Math.min(burst, Math.ceil(amount / perToken)) : 0
}
