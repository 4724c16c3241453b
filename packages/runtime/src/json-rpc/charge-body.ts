/**
 * What a body costs before it is parsed: tokens for its size, taken before anything looks at it, and for its structure,
 * which a scan counts. Calls have prices of their own, see dispatch.ts; a body of usual size is paid for by them.
 */
import type { RpcCaller } from './access/rpc-access.ts'
import { type JsonShape, jsonShapeOf } from './json-shape.ts'

/** Characters of a body, begun, and of an answer, full, that cost a token: moving and rendering text takes time too. */
export const TEXT_PER_TOKEN = 64 * 1024
/** Brackets, commas and colons that cost a token: parsing takes at most 0.3 us for each. */
export const STRUCTURE_PER_TOKEN = 5_000
/** Lists and objects inside one another; nothing that is served needs more than a dozen. */
const MAX_DEPTH = 64
/** Brackets, commas and colons in a stranger's body: 30 ms of parsing at the worst. The largest useful request has a fifth. */
export const MAX_STRANGER_STRUCTURE = 100_000

export type ChargedBody =
  /** `paid` tokens were taken, prepaid ones included. */
  | { readonly ok: true; readonly paid: number; readonly shape: JsonShape }
  /** There are not enough, and might be after `waitMs` milliseconds. */
  | { readonly ok: false; readonly waitMs: number }

/** `prepaid` tokens were taken before the body was read. */
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

/** Nothing up to the amount that one token buys; never more than the caller can have at once, since no waiting would pay for it. */
function priceOf(amount: number, perToken: number, { burst }: RpcCaller): number {
  return amount > perToken ? Math.min(burst, Math.ceil(amount / perToken)) : 0
}
