import { type Layer, rpcOn } from '../../data/rpc.ts'
import type { WalletTransaction } from '../../data/wallet/wallet.ts'

/** Throws Error with the node's reason if the transaction would fail after those that wait in the pool, such as one sent before a reload. */
export async function assertAccepted(layer: Layer, { from, to, data, valueWei }: WalletTransaction): Promise<void> {
  try {
    await rpcOn(layer, 'eth_estimateGas', [{ from, to, data, value: `0x${valueWei.toString(16)}` }, 'pending'])
  } catch (error) {
    throw new Error(`It would fail on ${layer.toUpperCase()}: ${error instanceof Error ? error.message : 'no reason given'}`)
  }
}
