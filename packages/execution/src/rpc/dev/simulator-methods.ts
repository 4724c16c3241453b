/** Methods of development chains without L1. What a rollup cannot do truthfully is refused with the command that does it. */
import { formatQuantity } from '@keelson/primitives'
import { RpcError, type RpcMethods } from '@keelson/runtime'
import { serverError } from '../errors.ts'
import type { RpcDependencies } from '../rpc-dependencies.ts'

/** EIP-1474, method not supported. */
const NOT_SUPPORTED = -32004

const SNAPSHOT = 'the RPC of a rollup cannot take L1 back: keelson devnet snapshot NAME saves both chains and every service'
const REVERT = 'the RPC of a rollup cannot take L1 back: keelson devnet restore NAME brings a snapshot back'
const TIME = 'L2 has a block for every block time, and follows the clock of L1: keelson devnet time +1h moves both'
const FUND = 'a balance that is not in a transaction could not be derived from L1: keelson devnet fund ADDRESS AMOUNT deposits any amount'
const IMPERSONATE =
  "a transaction on L2 needs its sender's signature. On the network's L1, anvil_impersonateAccount works: a deposit that the account " +
  'sends there to OptimismPortal.depositTransaction runs on L2 in its name'
const STATE =
  'state that is not in a transaction could not be derived from L1: send a transaction, or begin a chain with keelson devnet --fresh'
const MINING = 'the sequencer makes a block for every block time, which keelson devnet --fresh --block-time SECONDS chooses'

const REFUSED: Readonly<Record<string, string>> = {
  evm_snapshot: SNAPSHOT,
  anvil_snapshot: SNAPSHOT,
  evm_revert: REVERT,
  anvil_revert: REVERT,
  anvil_reset: REVERT,
  hardhat_reset: REVERT,
  evm_increaseTime: TIME,
  anvil_increaseTime: TIME,
  evm_setTime: TIME,
  evm_setNextBlockTimestamp: TIME,
  anvil_setNextBlockTimestamp: TIME,
  anvil_setBalance: FUND,
  hardhat_setBalance: FUND,
  anvil_impersonateAccount: IMPERSONATE,
  hardhat_impersonateAccount: IMPERSONATE,
  anvil_autoImpersonateAccount: IMPERSONATE,
  anvil_setCode: STATE,
  hardhat_setCode: STATE,
  anvil_setNonce: STATE,
  hardhat_setNonce: STATE,
  anvil_setStorageAt: STATE,
  hardhat_setStorageAt: STATE,
  evm_setAutomine: MINING,
  evm_setIntervalMining: MINING,
  anvil_mine: MINING,
  hardhat_mine: MINING,
}

export function simulatorMethods({
  onMove,
  clock,
  chain,
  options,
}: Pick<RpcDependencies, 'onMove' | 'clock' | 'chain' | 'options'>): RpcMethods {
  const refusals = Object.entries(REFUSED).map(([method, text]) => [
    method,
    () => {
      throw new RpcError(NOT_SUPPORTED, `${method} is not possible on a rollup: ${text}`)
    },
  ])
  return {
    ...(Object.fromEntries(refusals) as RpcMethods),
    /** Waits for the sequencer's next block. */
    async evm_mine(_, { signal }) {
      const ended = new AbortController()
      let forget = () => undefined as unknown
      const moved = new Promise<true>((resolve) => {
        forget = onMove(() => resolve(true))
      })
      const late = clock.sleep(options.syncSubmitTimeoutMs, AbortSignal.any([signal, ended.signal])).then(
        () => false,
        () => false,
      )
      const isNew = await Promise.race([moved, late])
      ended.abort()
      forget()
      signal.throwIfAborted()
      if (!isNew)
        throw serverError(
          `no block after ${formatQuantity(chain.label('unsafe').header.number)} in ${options.syncSubmitTimeoutMs / 1000} s`,
        )
      return '0x0'
    },
  }
}
