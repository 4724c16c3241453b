/**
 * Elects one leader among the processes that share a PostgreSQL database. The leader holds an advisory lock and writes in the
 * session that holds it, so a process that lost the lock cannot write.
 */
import { type Logger, messageOf } from '@keelson/primitives'
import { RuntimeError } from '../runtime-error.ts'

/** The part of a client of `pg` that an election needs. */
export interface ElectionSession {
  connect(): Promise<unknown>
  query(text: string, params?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
  end(): Promise<void>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'end', listener: () => void): unknown
}

export type SessionQuery = <R>(text: string, params?: readonly unknown[]) => Promise<readonly R[]>

/** The time in which one session held the lock. */
export interface Lead {
  /** Throws RuntimeError `runtime/not-leader` once the session has ended, also when this process was elected again. */
  transaction<T>(run: (query: SessionQuery) => Promise<T>): Promise<T>
}

export interface Election {
  /** Null while another process leads, or the database is away. */
  readonly lead: Lead | null
  /**
   * Takes the lock if it is free, and checks the session. Call it every second or so. Returns another lead when others may have led
   * since: what was remembered from before is then worth nothing. Throws when the database does not answer.
   */
  campaign(): Promise<Lead | null>
  /** Reads, as the leader or not. */
  readonly query: SessionQuery
  /** Ends the session; a later `campaign` opens another. */
  withdraw(): Promise<void>
}

export interface ElectionOptions {
  /** Key of the advisory lock, unique in the database. */
  readonly lock: number
  /** Opens a client with limits on the time to connect and to answer. The server is PostgreSQL 14 or newer, without a pooler between. */
  readonly open: () => ElectionSession
  readonly log: Logger
  /** The server ends the session of a leader that is silent for this long: paused, or cut off. */
  readonly silenceMs?: number
}

const SILENCE_MS = 10_000

export function createElection(options: ElectionOptions): Election {
  return new SessionElection(options)
}

class SessionElection implements Election {
  readonly #options: ElectionOptions
  #session: ElectionSession | null = null
  #lead: Lead | null = null
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: ElectionOptions) {
    this.#options = options
  }

  get lead(): Lead | null {
    return this.#lead
  }

  campaign(): Promise<Lead | null> {
    return this.#inTurn(async () => {
      const session = this.#session ?? (await this.#connect())
      if (this.#lead !== null) {
        await this.#ask(session, 'select 1')
        return this.#lead
      }
      const [answer] = await this.#ask<{ won: boolean }>(session, 'select pg_try_advisory_lock($1) as won', [this.#options.lock])
      if (this.#session === session && answer?.won === true) this.#lead = this.#createLead(session)
      return this.#lead
    })
  }

  readonly query: SessionQuery = (text, params) =>
    this.#inTurn(async () => this.#ask(this.#session ?? (await this.#connect()), text, params))

  #createLead(session: ElectionSession): Lead {
    const lead: Lead = {
      transaction: (run) =>
        this.#inTurn(async () => {
          if (this.#lead !== lead) {
            throw new RuntimeError('runtime/not-leader', 'this process no longer holds the lock in PostgreSQL, so it may not write')
          }
          await this.#ask(session, 'begin')
          try {
            const result = await run((text, params) => this.#ask(session, text, params))
            await this.#ask(session, 'commit')
            return result
          } catch (error) {
            if (this.#session === session) await this.#ask(session, 'rollback').catch(() => this.#drop(session))
            throw error
          }
        }),
    }
    return lead
  }

  withdraw(): Promise<void> {
    return this.#inTurn(async () => {
      const session = this.#session
      this.#forget()
      await session?.end().catch((error: Error) => this.#options.log.debug('closing a session failed', { error: error.message }))
    })
  }

  async #connect(): Promise<ElectionSession> {
    const { open, log, silenceMs = SILENCE_MS } = this.#options
    const session = open()
    session.on('error', (error) => log.warn('PostgreSQL session lost', { error: (error as { code?: string }).code ?? error.name }))
    session.on('end', () => this.#drop(session))
    await session.connect()
    this.#session = session
    try {
      await this.#ask(session, `set idle_session_timeout = ${silenceMs}`)
      await this.#ask(session, `set idle_in_transaction_session_timeout = ${silenceMs}`)
      // The others do not count while the server sends; a Unix socket has no such limit, so a leader reads little at a time.
      await this.#ask(session, `set tcp_user_timeout = ${silenceMs}`)
    } catch (error) {
      this.#drop(session)
      throw error
    }
    return session
  }

  /** An error of the connection ends the session; one of the statement does not. */
  async #ask<R>(session: ElectionSession, text: string, params: readonly unknown[] = []): Promise<readonly R[]> {
    try {
      return (await session.query(text, [...params])).rows as readonly R[]
    } catch (error) {
      const { severity } = error as { severity?: string }
      if (severity !== 'ERROR') this.#drop(session)
      throw error
    }
  }

  #drop(session: ElectionSession): void {
    if (this.#session !== session) return
    this.#forget()
    session.end().catch((error: unknown) => this.#options.log.debug('closing a session failed', { error: messageOf(error) }))
  }

  #forget(): void {
    this.#session = null
    this.#lead = null
  }

  /** A session runs one transaction at a time. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work)
    this.#turn = mine.catch(() => undefined)
    return mine
  }
}
