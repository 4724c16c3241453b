/** Methods of development chains without L1. What a rollup cannot do truthfully is refused with the command that does it. */
import { formatQuantity } from '@keelson/primitives'
import { asCalled, RpcError, type RpcMethods } from '@keelson/runtime'
import { serverError } from '../errors.ts'
import type { RpcDependencies } from '../rpc-dependencies.ts'

/** EIP-1474, method not supported. */
const NOT_SUPPORTED = -32004

const SNAPSHOT = () => `the RPC of a rollup cannot take L1 back: "${asCalled('devnet snapshot NAME')}" saves both chains and every service`
const REVERT = () => `the RPC of a rollup cannot take L1 back: "${asCalled('devnet restore NAME')}" brings a snapshot back`
const TIME = () => `L2 has a block for every block time, and follows the clock of L1: "${asCalled('devnet time +1h')}" moves both`
const FUND = () =>
  `a balance that is not in a transaction could not be derived from L1: "${asCalled('devnet fund ADDRESS AMOUNT')}" deposits any amount`
const IMPERSONATE = () =>
  "a transaction on L2 needs its sender's signature. On the network's L1, anvil_impersonateAccount works: a deposit that the account " +
  'sends there to OptimismPortal.depositTransaction runs on L2 in its name'
const STATE = () =>
  `state that is not in a transaction could not be derived from L1: send a transaction, or begin a chain with "${asCalled('devnet --fresh')}"`
const MINING = () => `the sequencer makes a block for every block time, which "${asCalled('devnet --fresh --block-time SECONDS')}" chooses`

const POOL = () => 'transactions leave the pool by a block, by a replacement with the same nonce and higher fees, or by their age'
const FEES = () =>
  `the base fee follows from EIP-1559 and the system config on L1, and gas limits are chosen with "${asCalled('devnet --fresh --gas-limit GAS')}"`
const FORK = () =>
  'its blocks follow from its own L1, so it cannot begin with the state of another chain. "anvil --fork-url URL" forks one for a test, and ' +
  `"${asCalled('execution --network op-mainnet')}" with a consensus client follows one`
const INFO = () => 'it has no settings of a simulator. web3_clientVersion, eth_chainId and eth_config describe the node'

/** By the name after the prefix of a simulator. */
const REFUSED: Readonly<Record<string, () => string>> = {
  ...namesOf(SNAPSHOT, ['snapshot', 'dumpState']),
  ...namesOf(REVERT, ['revert', 'rollback', 'reorg', 'loadState']),
  ...namesOf(TIME, ['increaseTime', 'setTime', 'setNextBlockTimestamp', 'setBlockTimestampInterval', 'removeBlockTimestampInterval']),
  ...namesOf(FUND, ['setBalance', 'addBalance']),
  ...namesOf(IMPERSONATE, ['impersonateAccount', 'stopImpersonatingAccount', 'autoImpersonateAccount', 'impersonateSignature']),
  ...namesOf(STATE, ['setCode', 'setNonce', 'setStorageAt', 'setChainId', 'setCoinbase', 'setPrevRandao']),
  ...namesOf(STATE, ['dealERC20', 'setERC20Allowance', 'setErc20Balance']),
  ...namesOf(MINING, ['setAutomine', 'getAutomine', 'setIntervalMining', 'getIntervalMining', 'mine', 'mineDetailed', 'mine_detailed']),
  ...namesOf(POOL, ['dropTransaction', 'dropAllTransactions', 'removePoolTransactions']),
  ...namesOf(FEES, ['setMinGasPrice', 'setNextBlockBaseFeePerGas', 'setBlockGasLimit']),
  ...namesOf(FORK, ['reset', 'setRpcUrl']),
  ...namesOf(INFO, ['nodeInfo', 'metadata', 'setLoggingEnabled', 'enableTraces', 'addCompilationResult']),
}
/** anvil has most names under several prefixes, and clients choose any of them. */
const PREFIXES = ['anvil', 'hardhat', 'evm', 'tenderly']

function namesOf(text: () => string, names: readonly string[]): Readonly<Record<string, () => string>> {
  return Object.fromEntries(names.map((name) => [name, text]))
}

export function simulatorMethods({
  onMove,
  clock,
  chain,
  options,
}: Pick<RpcDependencies, 'onMove' | 'clock' | 'chain' | 'options'>): RpcMethods {
  const refusals = PREFIXES.flatMap((prefix) =>
    Object.entries(REFUSED).map(([name, text]) => {
      const method = `${prefix}_${name}`
      const refuse = () => {
        throw new RpcError(NOT_SUPPORTED, `${method} is not possible on a rollup: ${text()}`)
      }
      return [method, refuse]
    }),
  )
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
