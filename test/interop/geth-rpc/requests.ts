import fc from 'fast-check'
import { anyParam, validParams } from '../../fuzz/rpc-params.ts'
import type { RpcWorld } from '../../fuzz/rpc-world.ts'

export interface RpcRequest {
  readonly method: string
  readonly params: readonly unknown[]
}

/** Out of ten requests of a method, this many have valid parameters; in the others a parameter is changed, invalid or surplus. */
const VALID = 7
const MAX_PARAMS = 4

/** The same seed gives the same requests. */
export function generateRequests(
  methods: readonly string[],
  facts: RpcWorld['facts'],
  { count, seed }: { readonly count: number; readonly seed: number },
): readonly RpcRequest[] {
  const each = Math.max(1, Math.ceil(count / methods.length))
  const wild = fc.array(anyParam(facts), { maxLength: MAX_PARAMS })
  return methods.flatMap((method, i) => {
    const params = fc.oneof(
      { weight: VALID, arbitrary: validParams(method, facts) },
      { weight: 10 - VALID, arbitrary: wild as fc.Arbitrary<readonly unknown[]> },
    )
    // What JSON cannot write, neither client can be sent.
    return fc.sample(params, { numRuns: each, seed: seed + i }).map((list) => ({ method, params: JSON.parse(JSON.stringify(list)) }))
  })
}
