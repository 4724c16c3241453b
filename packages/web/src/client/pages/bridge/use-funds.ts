import { type Layer, rpcOn } from '../../data/rpc.ts'
import { useQuery } from '../../data/use-query.ts'

export interface Funds {
  readonly balanceWei: bigint
  /** What a transaction over the bridge costs at most at today's price. */
  readonly feeWei: bigint
}

const REFRESH_MS = 6_000
/** More than the transaction takes. */
const FEE_GAS: Readonly<Record<Layer, bigint>> = { l1: 700_000n, l2: 300_000n }

/** Null without an account, and while they are not known. */
export function useFunds(layer: Layer, account: string | null): Funds | null {
  return useQuery(account === null ? null : `funds ${layer} ${account}`, () => readFunds(layer, account ?? ''), REFRESH_MS).data
}

async function readFunds(layer: Layer, account: string): Promise<Funds> {
  const [balance, price] = await Promise.all([
    rpcOn<string>(layer, 'eth_getBalance', [account, 'latest']),
    rpcOn<string>(layer, 'eth_gasPrice', []),
  ])
  return { balanceWei: BigInt(balance), feeWei: BigInt(price) * FEE_GAS[layer] }
}
