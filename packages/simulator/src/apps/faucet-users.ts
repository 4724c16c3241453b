/** People without tokens, who ask the faucet once each, and ask again when no answer comes or out of impatience. */
import type { ClaimAnswer, ClaimService } from '@keelson/apps/faucet/backend'
import { type Address, bytesToHex, type Hash, keccak256, toAddress, utf8ToBytes } from '@keelson/primitives'
import type { Host } from '../roles/host.ts'
import { FAUCET, FAUCET_PORT } from './faucet-role.ts'

const ARRIVAL_MS = 30_000
const ANSWER_TIMEOUT_MS = 35_000
const PAUSE_MS = 10_000
const MAX_ATTEMPTS = 60
/** How many people ask with a new Idempotency-Key although they got an answer or lost one. */
const IMPATIENT = 0.3
const SUBSCRIBERS = 200
/** The person may not claim again before the run ends. */
const FINAL: ReadonlySet<string> = new Set(['address-limit', 'ip-limit', 'budget-spent'])

export class FaucetUsers {
  /** Everybody who asked. */
  readonly recipients: Address[] = []
  /** Those to whom the faucet said that it paid, or that it will. */
  readonly promised = new Map<Address, Hash | 'under way'>()
  readonly #host: Host
  #stopped = false

  constructor(host: Host) {
    this.#host = host
  }

  start(): void {
    const { process } = this.#host
    const again = () => {
      if (this.#stopped) return
      void this.#ask(this.recipients.length)
      process.after(2 * ARRIVAL_MS * process.random.next(), 'faucet user', again)
    }
    process.after(ARRIVAL_MS, 'faucet user', again)
  }

  stop(): void {
    this.#stopped = true
  }

  async #ask(number: number): Promise<void> {
    const { random, clock } = this.#host.process
    const address = recipientOf(number)
    const subscriber = `10.0.${Math.floor(random.next() * SUBSCRIBERS)}.1`
    this.recipients.push(address)
    for (let attempt = 0, keys = 1; attempt < MAX_ATTEMPTS && !this.#stopped; attempt++) {
      const answer = await this.#claim(address, subscriber, `${number} ${keys}`)
      if (answer !== null) this.#note(address, answer)
      const isOver = answer?.ok === true || FINAL.has(answer?.reason ?? '')
      const asksAnew = random.next() < IMPATIENT
      if (isOver && !asksAnew) return
      if (asksAnew) keys++
      await clock.sleep(PAUSE_MS * (0.5 + random.next()))
    }
  }

  #note(address: Address, answer: ClaimAnswer): void {
    if (answer.ok) this.promised.set(address, answer.txHash)
    else if (answer.reason === 'under-way') this.promised.set(address, 'under way')
  }

  /** Null without an answer. */
  async #claim(address: Address, subscriber: string, idempotencyKey: string): Promise<ClaimAnswer | null> {
    const { world } = this.#host
    const request = { address, subscriber, idempotencyKey, captcha: null, remoteIp: subscriber }
    try {
      return await world.ports.call(this.#host, `${FAUCET}:${FAUCET_PORT}`, {
        what: `claim ${address} ${idempotencyKey}`,
        timeoutMs: ANSWER_TIMEOUT_MS,
        retry: false,
        run: (claims: ClaimService) => claims.claim(request, new AbortController().signal),
        contentOf: (answer) => (answer.ok ? answer.txHash : answer.reason),
      })
    } catch {
      return null
    }
  }
}

function recipientOf(number: number): Address {
  return toAddress(bytesToHex(keccak256(utf8ToBytes(`user ${number} of the faucet`)).subarray(12)))
}
