/**
 * One of several faucets that share a PostgreSQL database. The leader answers and pays; the others pass requests on to it, and one of
 * them takes over when it ends. What the leader knows is in the database before it acts on it, and only a leader can write there.
 */
import { type Clock, type Logger, messageOf } from '@keelson/primitives'
import {
  type CheckResult,
  createPoller,
  type Election,
  type HealthCheck,
  type Lead,
  type Metrics,
  type Poller,
  type Service,
} from '@keelson/runtime'
import type { Faucet } from '../create-faucet.ts'
import { FaucetError } from '../faucet-error.ts'
import type { Entrance } from '../http/entrance.ts'
import type { FaucetStore } from '../storage/faucet-store.ts'
import { createPostgresStore } from '../storage/postgres-store.ts'
import { announceLeader, type ChainIdentity, findLeader, prepareFaucetTables } from '../storage/shared-storage.ts'
import { createForwarder } from './forward.ts'

export interface SharedFaucetOptions extends ChainIdentity {
  /** Where the other instances reach this one. */
  readonly instanceUrl: string
  readonly answerTimeoutMs: number
}

export interface SharedFaucetDependencies {
  readonly election: Election
  readonly entrance: Entrance
  /** Called each time this instance is elected. */
  openFaucet(store: FaucetStore, entrance: Entrance): Promise<Faucet>
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface SharedFaucet extends Service {
  /** Null on a standby. */
  readonly faucet: Faucet | null
  readonly checks: readonly HealthCheck[]
  /** Follows the election. Throws FaucetError `apps/faucet-other-chain`. */
  step(): Promise<void>
  /** Throws FaucetError `apps/faucet-standby`. */
  task(task: string, params: Readonly<Record<string, unknown>>): Promise<unknown>
}

const CAMPAIGN_MS = 1_000
const FORWARD_MARGIN_MS = 10_000

export function createSharedFaucet(options: SharedFaucetOptions, deps: SharedFaucetDependencies): SharedFaucet {
  return new ElectedFaucet(options, deps)
}

class ElectedFaucet implements SharedFaucet {
  readonly name = 'shared faucet'
  readonly failure: Promise<never>
  readonly #options: SharedFaucetOptions
  readonly #deps: SharedFaucetDependencies
  readonly #poller: Poller
  readonly #forwarder: ReturnType<typeof createForwarder>
  #fail: (error: unknown) => void = () => undefined
  #faucet: Faucet | null = null
  /** That of `#faucet`, whose memory is worth nothing in another. */
  #lead: Lead | null = null
  /** The others have been told about this one. */
  #announced: Lead | null = null
  #leaderUrl: string | null = null
  #trouble: string | null = null

  constructor(options: SharedFaucetOptions, deps: SharedFaucetDependencies) {
    const { clock, metrics } = deps
    this.#options = options
    this.#deps = deps
    this.#forwarder = createForwarder(
      { timeoutMs: options.answerTimeoutMs + FORWARD_MARGIN_MS },
      { leaderUrl: () => this.#leaderUrl, clock },
    )
    this.#poller = createPoller(() => this.step(), { clock, intervalMs: CAMPAIGN_MS, onError: (error) => this.#failed(error) })
    const failed = new Promise<never>((_, reject) => {
      this.#fail = reject
    })
    this.failure = Promise.race([this.#poller.failure, failed])
    this.failure.catch(() => undefined)
    metrics?.gauge('leader', '1 when this instance answers and pays, 0 when it is on standby', [], () => (this.#faucet === null ? 0 : 1))
  }

  get faucet(): Faucet | null {
    return this.#faucet
  }

  get checks(): readonly HealthCheck[] {
    const database: HealthCheck = {
      name: 'database',
      check: () =>
        this.#trouble === null
          ? { ok: true }
          : { ok: false, reason: `PostgreSQL does not answer: ${this.#trouble}`, remedy: 'check --database-url and that it is running' },
    }
    const leader: HealthCheck = {
      name: 'leader',
      check: () => {
        if (this.#faucet !== null) return { ok: true, detail: 'this instance' }
        return this.#leaderUrl === null ? { ok: false, reason: 'no instance leads yet' } : { ok: true, detail: this.#leaderUrl }
      },
    }
    const chain: HealthCheck = { name: 'chain', check: () => this.#checkFaucet() }
    return [database, leader, chain]
  }

  async start(): Promise<void> {
    const { entrance } = this.#deps
    entrance.serve(this.#forwarder.handler)
    await entrance.start()
    this.#poller.start()
  }

  async stop(): Promise<void> {
    await this.#poller.stop()
    await this.#close()
    await this.#deps.entrance.stop()
    this.#forwarder.close()
    await this.#deps.election.withdraw()
  }

  async step(): Promise<void> {
    const { election } = this.#deps
    const lead = await election.campaign().catch(async (error: unknown) => {
      this.#leaderUrl = null
      await this.#close()
      throw error
    })
    if (lead !== this.#lead) await this.#close()
    if (lead !== null && this.#faucet === null) await this.#open(lead)
    if (lead !== null && this.#announced !== lead) await this.#announce(lead)
    const url = lead === null ? await findLeader(election) : null
    this.#leaderUrl = url === this.#options.instanceUrl ? null : url
    if (this.#trouble !== null) this.#deps.log.info('PostgreSQL answers again')
    this.#trouble = null
  }

  task(task: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    if (this.#faucet !== null) return this.#faucet.task(task, params)
    const where = this.#leaderUrl === null ? 'no instance leads at the moment' : `${this.#leaderUrl} leads`
    throw new FaucetError('apps/faucet-standby', `this instance is on standby and ${where}: run the command beside the leader`)
  }

  async #open(lead: Lead): Promise<void> {
    const { election, entrance, openFaucet } = this.#deps
    await prepareFaucetTables(lead, this.#options)
    const faucet = await openFaucet(createPostgresStore(election, lead), this.#borrowed(entrance))
    this.#faucet = faucet
    this.#lead = lead
    faucet.failure?.catch((error: unknown) => this.#fail(error))
    try {
      await faucet.start(this.#poller.signal)
    } catch (error) {
      await this.#close()
      throw error
    }
    this.#deps.log.info('elected: this instance answers and pays', { unsettled: faucet.records.unsettledCount })
  }

  async #announce(lead: Lead): Promise<void> {
    await announceLeader(lead, this.#options.instanceUrl)
    this.#announced = lead
  }

  async #close(): Promise<void> {
    const faucet = this.#faucet
    if (faucet === null) return
    this.#faucet = null
    this.#lead = null
    this.#deps.log.warn('no longer elected: this instance is on standby')
    await faucet.stop()
  }

  async #checkFaucet(): Promise<CheckResult> {
    for (const { check } of this.#faucet?.checks ?? []) {
      const result = await check()
      if (!result.ok) return result
    }
    return { ok: true, detail: this.#faucet === null ? 'checked by the leader' : 'ok' }
  }

  /** The port stays open when a faucet on it stops. */
  #borrowed(entrance: Entrance): Entrance {
    return {
      get url() {
        return entrance.url
      },
      serve: (handler) => entrance.serve(handler),
      start: async () => undefined,
      stop: async () => entrance.serve(this.#forwarder.handler),
    }
  }

  #failed(error: unknown): void {
    if (error instanceof FaucetError) throw error
    if (this.#trouble === null) this.#deps.log.warn('PostgreSQL does not answer, retrying', { error })
    this.#trouble = (error as { code?: string }).code ?? messageOf(error)
  }
}
