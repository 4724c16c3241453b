/** The smallest gas limit with which a call succeeds, by bisection: eth_estimateGas. */
import { EvmError } from '../errors.ts'
import type { RejectedTx } from '../tx/rejection.ts'
import type { SimulatedCall, SimulationContext } from './simulate-call.ts'

export type GasEstimate =
  | { readonly kind: 'estimated'; readonly gas: bigint }
  /** It fails with any gas up to the cap; `output` is the revert data. */
  | { readonly kind: 'failed'; readonly status: 'revert' | 'halt'; readonly output: Uint8Array; readonly error: string | null }
  | RejectedTx

/** `call.tx.gasLimit` is the cap to search under. */
export async function estimateGas(_context: SimulationContext, _call: SimulatedCall): Promise<GasEstimate> {
  throw new EvmError('evm/misuse', 'gas cannot be estimated: the executor is not built yet')
}
