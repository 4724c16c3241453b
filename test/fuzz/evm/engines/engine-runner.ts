/** Uses the node's own transaction layer. */
import {
  type BlockSession,
  type CallResult,
  createMemoryView,
  type EvmEngine,
  type EvmTracer,
  type MemoryView,
  openBlock,
} from '@keelson/evm'
import { type AccessList, bytesToHex, hexToBytes, type Log, toAddress, toHash, ZERO_HASH } from '@keelson/primitives'
import { rulesOf } from '../chains.ts'
import { blockHashOf, CHAIN_ID, codeBytes, crypto, type EvmCase, SIGNERS, wordBytes } from '../evm-case.ts'
import { type Outcome, preState, type StateAccount, stateAfter, type TransactionOutcome } from '../outcome.ts'
import { transactionOf } from '../signed-transaction.ts'
import { StepLog } from '../steps.ts'
import type { CaseRunner, RunCaseOptions } from './case-runner.ts'

interface Recorded {
  readonly result: CallResult
  readonly accessed: AccessList
}

export class EngineRunner implements CaseRunner {
  readonly name: string
  readonly #engine: EvmEngine
  readonly takesTracer = true
  #accounts: EvmCase['accounts'] | null = null
  #view: MemoryView = createMemoryView()
  #pre: ReadonlyMap<string, StateAccount> = new Map()
  #recorded: Recorded | null = null

  constructor(name: string, engine: EvmEngine) {
    this.name = name
    this.#engine = engine
  }

  runs(): boolean {
    return true
  }

  async run(subject: EvmCase, options: RunCaseOptions = {}): Promise<Outcome> {
    const trace = options.trace === true
    this.#prepare(subject)
    const log = new StepLog()
    const recorder: EvmTracer = { step: (step) => log.add(step) }
    const block = this.#open(subject, trace ? recorder : (options.tracer ?? null))
    const transactions: TransactionOutcome[] = []
    for (const each of subject.transactions) {
      const sender = SIGNERS[each.sender]?.address as Uint8Array
      const tx = transactionOf(each, block.session.nonce(sender))
      this.#recorded = null
      const done = block.applyTransaction(tx, sender)
      if (done.kind === 'rejected') transactions.push({ status: 'rejected', gasUsed: '0', logs: [] })
      else transactions.push(this.#outcome(done.gasUsed, done.receipt.logs, each.to !== null, trace ? log.take() : null))
    }
    return { transactions, state: stateAfter(this.#pre, block.session.takeDiff()) }
  }

  #outcome(gasUsed: bigint, logs: readonly Log[], hasOutput: boolean, trace: readonly string[] | null): TransactionOutcome {
    const { result, accessed } = this.#recorded as unknown as Recorded
    return {
      status: result.status,
      gasUsed: String(gasUsed),
      ...(hasOutput ? { output: bytesToHex(result.output) } : {}),
      refund: String(result.gasRefund),
      created: result.created === null ? null : bytesToHex(result.created),
      logs: logs.map(showLog),
      accessed: listAccesses(accessed),
      ...(trace === null ? {} : { trace }),
    }
  }

  /** Cases of one program set share their view. */
  #prepare(subject: EvmCase): void {
    if (subject.accounts === this.#accounts) return
    this.#accounts = subject.accounts
    this.#pre = preState(subject)
    this.#view = createMemoryView(
      subject.accounts.map(({ address, balance, nonce, code, storage }) => ({
        address: hexToBytes(address),
        balanceWei: BigInt(balance),
        nonce: BigInt(nonce),
        code: codeBytes(code),
        storage: storage.map(([slot, value]) => [wordBytes(slot), wordBytes(value)] as const),
      })),
    )
  }

  #open({ chain, env }: EvmCase, tracer: EvmTracer | null) {
    const rules = rulesOf(chain)
    return openBlock({
      engine: this.#recording(),
      view: this.#view,
      header: {
        parentHash: toHash(blockHashOf(env, Number(env.number) - 1)),
        number: Number(env.number),
        timestampSec: Number(env.timestamp),
        gasLimit: BigInt(env.gasLimit),
        baseFeeWei: rules.feeSink === 'miner' ? null : BigInt(env.baseFee),
        feeRecipient: toAddress(env.feeRecipient),
        mixHash: toHash(env.prevRandao),
        difficulty: BigInt(env.difficulty),
        parentBeaconBlockRoot: null,
        excessBlobGas: rules.blobFields ? 0n : null,
      },
      rules,
      transition: null,
      chainId: CHAIN_ID,
      crypto,
      blockHash: (number) => toHash(blockHashOf(env, number)),
      rootOf: () => ZERO_HASH,
      ...(tracer === null ? {} : { session: { tracer } }),
    })
  }

  /** Keeps output, refund and accesses, which the transaction layer drops. */
  #recording(): EvmEngine {
    const engine = this.#engine
    return {
      name: engine.name,
      precompiles: (rules) => engine.precompiles(rules),
      open: (view, env, rules, options) => {
        const session = engine.open(view, env, rules, options)
        const call: BlockSession['call'] = (message) => {
          const result = session.call(message)
          this.#recorded = { result, accessed: session.accessed() }
          return result
        }
        return new Proxy(session, {
          get(target, property) {
            if (property === 'call') return call
            const value: unknown = Reflect.get(target, property, target)
            return typeof value === 'function' ? value.bind(target) : value
          },
        })
      },
    }
  }
}

export function showLog({ address, topics, data }: { address: string; topics: readonly string[]; data: Uint8Array }): string {
  return `${address}:${topics.join(':')}:${bytesToHex(data)}`
}

function listAccesses(list: AccessList): string[] {
  return list.flatMap(({ address, slots }) => {
    const account = bytesToHex(address)
    return [account, ...slots.map((slot) => `${account}/${bytesToHex(slot)}`)]
  })
}
