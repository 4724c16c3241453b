/** Somebody asks for the status of every transfer of the bridge users again and again, also after it is finished. */
import type { StatusView, WithdrawalsView } from '@keelson/apps/bridge'
import type { Hash } from '@keelson/primitives'
import type { Transfer } from '../roles/bridge-user.ts'
import type { Host } from '../roles/host.ts'
import { BRIDGE_STATUS, BRIDGE_STATUS_PORT, type BridgeStatusApi } from './bridge-status-role.ts'

/** An answer that the service does not call stale. */
export type StatusAnswerSeen =
  | { readonly kind: 'deposit'; readonly txHash: Hash; readonly view: StatusView }
  | { readonly kind: 'withdrawal'; readonly txHash: Hash; readonly view: WithdrawalsView }

const ROUND_MS = 60_000
const TIMEOUT_MS = 10_000
/** Limit for each kind; older transfers were asked for often enough. */
const MAX_WATCHED = 60

export class BridgeWatchers {
  readonly #host: Host
  readonly #transfers: () => readonly Transfer[]
  readonly #onAnswer: Set<(answer: StatusAnswerSeen) => void> = new Set()

  constructor(host: Host, transfers: () => readonly Transfer[]) {
    this.#host = host
    this.#transfers = transfers
  }

  onAnswer(listener: (answer: StatusAnswerSeen) => void): void {
    this.#onAnswer.add(listener)
  }

  start(): void {
    this.#host.process.after(ROUND_MS, 'bridge watchers', () => void this.#round())
  }

  async #round(): Promise<void> {
    for (const { kind, txHash } of this.#transfers().slice(-MAX_WATCHED)) {
      const answer = await this.#ask(kind, txHash)
      if (answer !== null) for (const listener of this.#onAnswer) listener(answer)
    }
    this.start()
  }

  async #ask(kind: Transfer['kind'], txHash: Hash): Promise<StatusAnswerSeen | null> {
    if (kind === 'deposit') {
      const answer = await this.#call(`deposit ${txHash}`, ({ deposits }) => deposits.status(txHash))
      return answer?.kind === 'found' && answer.status.stale === null ? { kind, txHash, view: answer.status } : null
    }
    const answer = await this.#call(`withdrawal ${txHash}`, ({ withdrawals }) => withdrawals.status(txHash))
    return answer?.kind === 'found' ? { kind, txHash, view: answer.withdrawals } : null
  }

  /** Null without an answer. */
  async #call<T extends { readonly kind: string }>(what: string, run: (api: BridgeStatusApi) => Promise<T>): Promise<T | null> {
    const { world } = this.#host
    const call = { what, run, timeoutMs: TIMEOUT_MS, retry: false, contentOf: ({ kind }: T) => kind }
    try {
      return await world.ports.call(this.#host, `${BRIDGE_STATUS}:${BRIDGE_STATUS_PORT}`, call)
    } catch {
      return null
    }
  }
}
