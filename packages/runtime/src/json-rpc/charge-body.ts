/** A body is charged before it is parsed, for size, then structure. */
import type { RpcCaller } from './access/rpc-access.ts'
import { type JsonShape, jsonShapeOf } from './json-shape.ts'

/** Bytes per token, rounded up for a body and down for a response. */
export const TEXT_PER_TOKEN = 64 * 1024
/** Brackets, commas and colons per token; each takes at most 0.3 us to parse. */
export const STRUCTURE_PER_TOKEN = 5_000
export const MAX_DEPTH = 64
/** At worst 30 ms of parsing; five times the largest useful request. */
export const MAX_STRANGER_STRUCTURE = 100_000

export type ChargedBody =
  | { readonly ok: true; readonly paid: number; readonly shape: JsonShape }
  | { readonly ok: false; readonly waitMs: number }

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

/** At most the burst: no wait suffices for more. */
function priceOf(amount: number, perToken: number, { burst }: RpcCaller): number {
  return amount > perToken ? Math.min(burst, Math.ceil(amount / perToken)) : 0
}
