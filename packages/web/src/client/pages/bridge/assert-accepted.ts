import type { AbiDocument } from '../../../shared/abi-document.ts'
import { readRevert, revertText } from '../../data/abi/revert.ts'
import { type Layer, RpcRefusal, rpcOn } from '../../data/rpc.ts'
import type { WalletTransaction } from '../../data/wallet/wallet.ts'

/** Throws Error with the contract's reason, or the node's, if the transaction would fail after those that wait in the pool, such as one sent before a reload. */
export async function assertAccepted(
  layer: Layer,
  { from, to, data, valueWei }: WalletTransaction,
  abis: AbiDocument | null,
): Promise<void> {
  try {
    await rpcOn(layer, 'eth_estimateGas', [{ from, to, data, value: `0x${valueWei.toString(16)}` }, 'pending'])
  } catch (error) {
    const returned = error instanceof RpcRefusal && typeof error.data === 'string' ? error.data : undefined
    const revert = readRevert(returned, [abis])
    const words = revert !== null ? revertText(revert) : error instanceof Error ? error.message : 'no reason given'
    throw new Error(`It would fail on ${layer.toUpperCase()}: ${words}`)
  }
}
