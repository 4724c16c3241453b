/** Unpatched @ethereumjs/vm with its own transaction layer. */
import { createBlock } from '@ethereumjs/block'
import { type Common, createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common'
import { createTx, type TypedTransaction, type TypedTxData } from '@ethereumjs/tx'
import { Account, Address, type KZG, type PrefixedHexString } from '@ethereumjs/util'
import { createVM, type RunTxResult, runTx, type VM } from '@ethereumjs/vm'
import type { EthFork } from '@keelson/chainspec'
import { type Bytes20, bytesToHex, hexToBytes } from '@keelson/primitives'
import { opPrecompiles } from '../../../../packages/second-opinion/src/precompiles.ts'
import { syncKzg } from '../../../support/sync-kzg.ts'
import { rulesOf } from '../chains.ts'
import { blockHashOf, type CaseTransaction, CHAIN_ID, codeBytes, type EvmCase, GAS_PRICE_WEI, SIGNERS, wordBytes } from '../evm-case.ts'
import { type Outcome, showAccount, type TransactionOutcome } from '../outcome.ts'
import { signAuthorization } from '../signed-transaction.ts'
import { StepLog } from '../steps.ts'
import type { CaseRunner, RunCaseOptions } from './case-runner.ts'
import { showLog } from './engine-runner.ts'
import { MapState } from './map-state.ts'

const HARDFORKS: Readonly<Partial<Record<EthFork, string>>> = {
  frontier: Hardfork.Chainstart,
  homestead: Hardfork.Homestead,
  tangerine: Hardfork.TangerineWhistle,
  spurious: Hardfork.SpuriousDragon,
  byzantium: Hardfork.Byzantium,
  constantinople: Hardfork.Constantinople,
  petersburg: Hardfork.Petersburg,
  istanbul: Hardfork.Istanbul,
  berlin: Hardfork.Berlin,
  london: Hardfork.London,
  paris: Hardfork.Paris,
  shanghai: Hardfork.Shanghai,
  cancun: Hardfork.Cancun,
  prague: Hardfork.Prague,
  osaka: Hardfork.Osaka,
}

const hex = (bytes: Uint8Array) => bytesToHex(bytes) as PrefixedHexString

function verifyProof(...points: string[]): boolean {
  const [commitment, z, y, proof] = points.map((point) => hexToBytes(point)) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array]
  return syncKzg.verifyProof(commitment, z, y, proof)
}

export class EthereumjsRunner implements CaseRunner {
  readonly name = 'ethereumjs'
  readonly #commons = new Map<string, Common>()

  runs({ chain }: EvmCase): boolean {
    return HARDFORKS[rulesOf(chain).ethFork] !== undefined
  }

  async run(subject: EvmCase, { trace = false }: RunCaseOptions = {}): Promise<Outcome> {
    const common = this.#common(subject.chain)
    const state = await stateOf(subject)
    const vm = await openVm(subject, common, state)
    const log = new StepLog()
    if (trace) recordSteps(vm, log, common)
    const block = blockOf(subject, common)
    const transactions: TransactionOutcome[] = []
    for (const each of subject.transactions) {
      const sender = (SIGNERS[each.sender] as (typeof SIGNERS)[number]).address
      const nonce = (await state.getAccount(new Address(sender)))?.nonce ?? 0n
      const tx = transactionOf(each, nonce, sender, common)
      const result = await runTx(vm, { tx, block, skipHardForkValidation: true }).catch((error: Error) => error)
      if (result instanceof Error) transactions.push(rejected(result))
      else transactions.push({ ...outcomeOf(result, each, common), ...(trace ? { trace: log.take() } : {}) })
    }
    return { transactions, state: new Map([...state.accounts()].map(([address, account]) => [address, showAccount(account)])) }
  }

  #common(chain: string): Common {
    const { ethFork } = rulesOf(chain)
    const known = this.#commons.get(ethFork)
    if (known !== undefined) return known
    const kzg = { verifyProof } satisfies Partial<KZG> as unknown as KZG
    const hardfork = HARDFORKS[ethFork] as string
    const common = createCustomCommon({ chainId: Number(CHAIN_ID) }, Mainnet, { hardfork, customCrypto: { kzg } })
    this.#commons.set(ethFork, common)
    return common
  }
}

/** A defect of the library must not look like a rejection. */
function rejected(error: Error): TransactionOutcome {
  if (!/gas|balance|nonce|EOA|sender/i.test(error.message)) throw error
  return { status: 'rejected', gasUsed: '0', logs: [] }
}

async function stateOf({ accounts }: EvmCase): Promise<MapState> {
  const state = new MapState()
  for (const { address, balance, nonce, code, storage } of accounts) {
    const at = new Address(hexToBytes(address))
    await state.putAccount(at, new Account(BigInt(nonce), BigInt(balance)))
    if (code.length > 0 && code !== '0x') await state.putCode(at, codeBytes(code))
    for (const [slot, value] of storage) await state.putStorage(at, wordBytes(slot), wordBytes(value))
  }
  return state
}

async function openVm({ chain, env }: EvmCase, common: Common, state: MapState): Promise<VM> {
  const rules = rulesOf(chain)
  const blockchain = {
    getBlock: async (number: number | bigint | Uint8Array) => ({ hash: () => hexToBytes(blockHashOf(env, Number(number))) }),
    putBlock: async () => undefined,
    shallowCopy: () => blockchain,
  }
  const custom = rules.chain === 'op' ? { customPrecompiles: opPrecompiles(rules, common) } : {}
  return createVM({ common, stateManager: state, evmOpts: { common, stateManager: state, blockchain, ...custom } })
}

function blockOf({ env, chain }: EvmCase, common: Common) {
  const rules = rulesOf(chain)
  const { proofOfStake, hasBaseFee } = { proofOfStake: common.gteHardfork(Hardfork.Paris), hasBaseFee: common.gteHardfork(Hardfork.London) }
  const header = {
    number: BigInt(env.number),
    timestamp: BigInt(env.timestamp),
    gasLimit: BigInt(env.gasLimit),
    coinbase: new Address(hexToBytes(env.feeRecipient)),
    difficulty: proofOfStake ? 0n : BigInt(env.difficulty),
    mixHash: hexToBytes(env.prevRandao),
    ...(hasBaseFee ? { baseFeePerGas: BigInt(env.baseFee) } : {}),
    ...(rules.blobFields ? { excessBlobGas: 0n, blobGasUsed: 0n } : {}),
  }
  return createBlock({ header }, { common, skipConsensusFormatValidation: true })
}

function transactionOf(each: CaseTransaction, nonce: bigint, sender: Bytes20, common: Common): TypedTransaction {
  const { to, value, data, gas, accessList, authorizations } = each
  const fields = {
    nonce,
    gasLimit: BigInt(gas),
    value: BigInt(value),
    data: codeBytes(data),
    ...(to === null ? {} : { to: to as PrefixedHexString }),
  }
  const list = (accessList ?? []).map(({ address, slots }) => ({
    address: address as PrefixedHexString,
    storageKeys: slots.map((slot) => hex(wordBytes(slot))),
  }))
  let typed: TypedTxData = { ...fields, type: 0, gasPrice: GAS_PRICE_WEI }
  if (authorizations !== undefined) {
    const authorizationList = authorizations.map(signAuthorization).map(({ chainId, address, nonce, yParity, r, s }) => ({
      chainId: quantity(chainId),
      address: hex(address),
      nonce: quantity(nonce),
      yParity: quantity(BigInt(yParity)),
      r: quantity(r),
      s: quantity(s),
    }))
    const fees = { maxFeePerGas: GAS_PRICE_WEI, maxPriorityFeePerGas: GAS_PRICE_WEI, chainId: CHAIN_ID }
    typed = { ...fields, type: 4, accessList: list, authorizationList, ...fees } as TypedTxData
  } else if (accessList !== undefined) {
    typed = { ...fields, type: 1, gasPrice: GAS_PRICE_WEI, accessList: list, chainId: CHAIN_ID }
  }
  const tx = createTx(typed, { common, freeze: false, allowUnlimitedInitCodeSize: true })
  tx.getSenderAddress = () => new Address(sender)
  return tx
}

const quantity = (value: bigint) => `0x${value.toString(16)}` as PrefixedHexString

/** Frontier keeps a new contract that could not pay for its code. */
const UNPAID_CODE = 'code store out of gas'

function outcomeOf({ execResult, totalGasSpent }: RunTxResult, { to }: CaseTransaction, common: Common): TransactionOutcome {
  const error = execResult.exceptionError?.error
  const failed = error !== undefined && !(error === UNPAID_CODE && common.hardfork() === Hardfork.Chainstart)
  return {
    status: !failed ? 'success' : error === 'revert' ? 'revert' : 'failed',
    gasUsed: String(totalGasSpent),
    ...(to === null && !failed ? {} : { output: bytesToHex(execResult.returnValue) }),
    logs: failed
      ? []
      : (execResult.logs ?? []).map(([address, topics, data]) =>
          showLog({ address: bytesToHex(address), topics: topics.map((topic) => bytesToHex(topic)), data }),
        ),
  }
}

const WORD_BYTES = 32
const CALLS: readonly number[] = [0xf1, 0xf2, 0xf4, 0xfa]
/** SSTORE, SELFDESTRUCT: the library refunds before it reports the step. */
const REFUNDING: readonly number[] = [0x55, 0xff]

function recordSteps(vm: VM, log: StepLog, common: Common): void {
  const keeps64th = common.gteHardfork(Hardfork.TangerineWhistle)
  vm.evm.events?.on('step', ({ depth, pc, opcode, gasLeft, gasRefund, stack, memory, memoryWordCount }, resume) => {
    const fee = opcode.dynamicFee ?? BigInt(opcode.fee)
    const gasCost = CALLS.includes(opcode.code) ? fee + handedOn(stack.at(-1) ?? 0n, gasLeft - fee, keeps64th) : fee
    const refund = REFUNDING.includes(opcode.code) ? null : gasRefund
    log.add({ depth, pc, opcode: opcode.code, gasLeft, gasCost, gasRefund: refund, stack, memory: wholeMemory(memory, memoryWordCount) })
    resume?.()
  })
}

/**
 * The library's buffer grows by 8,192 bytes and only when it is written or read, so its snapshot lacks the zeros of a memory that a
 * call has paid for and not used.
 */
function wholeMemory(memory: Uint8Array, words: bigint): Uint8Array {
  const whole = new Uint8Array(Number(words) * WORD_BYTES)
  whole.set(memory)
  return whole
}

/** The library does not count it as a cost of the call. EIP-150 */
function handedOn(asked: bigint, left: bigint, keeps64th: boolean): bigint {
  if (!keeps64th || left < 0n) return asked
  const most = left - left / 64n
  return asked < most ? asked : most
}
