import { type ContractCaller, createContractCaller, createL1Client, type L1Client, type RpcClient, RpcResponseError } from '@keelson/client'
import { decodeUint, encodeCall } from '@keelson/contracts'
import { type Address, bytesToHex, formatQuantity, L1_BLOCK, parseQuantity } from '@keelson/primitives'
import { BridgeError } from './bridge-error.ts'

export interface BridgeContracts {
  readonly portal: Address
  readonly standardBridge: Address
  readonly messenger: Address
  /** Null when the chain's withdrawals use dispute games. */
  readonly outputOracle: Address | null
}

export interface ChainReader extends ContractCaller {
  readonly rpc: RpcClient
  readonly blockRef: L1Client['blockRef']
  balanceWei(account: Address): Promise<bigint>
  tryCall(to: Address, data: Uint8Array): Promise<Uint8Array | null>
}

export function createChainReader(rpc: RpcClient): ChainReader {
  const { call } = createContractCaller(rpc)
  return {
    rpc,
    call,
    blockRef: createL1Client(rpc).blockRef,
    balanceWei: async (account) => parseQuantity(await rpc.call('eth_getBalance', [account, 'latest']), 'eth_getBalance'),
    async tryCall(to, data) {
      try {
        const answer = await call(to, data)
        return answer.length === 0 ? null : answer
      } catch (error) {
        if (error instanceof RpcResponseError && error.severity !== 'temporary') return null
        throw error
      }
    },
  }
}

export interface CallRequest {
  readonly from: Address
  readonly to: Address | null
  readonly data: Uint8Array
  readonly valueWei: bigint
}

/** Prices and state may change before inclusion. */
export function withMargin(gas: bigint): bigint {
  return (gas * 6n) / 5n
}

/** Assumes `valueWei` on the account, as a deposit brings it. Throws BridgeError `apps/bridge-refused`. */
export async function estimateOnL2(l2: RpcClient, { from, to, data, valueWei }: CallRequest): Promise<bigint> {
  const call = { from, ...(to === null ? {} : { to }), input: bytesToHex(data), value: formatQuantity(valueWei) }
  try {
    const rich = { [from]: { balance: formatQuantity(valueWei + 10n ** 24n) } }
    return withMargin(parseQuantity(await l2.call('eth_estimateGas', [call, 'latest', rich]), 'eth_estimateGas'))
  } catch (error) {
    if (!(error instanceof RpcResponseError) || error.severity === 'temporary') throw error
    throw new BridgeError(
      'apps/bridge-refused',
      `the call would fail on L2 now: ${error.text}; to send it anyway, set its gas with --gas-limit`,
      { to },
      { cause: error },
    )
  }
}

const NUMBER_CALL = encodeCall('number()')

export async function adoptedOrigin(l2: ChainReader): Promise<number> {
  return Number(decodeUint(await l2.call(L1_BLOCK, NUMBER_CALL)))
}
