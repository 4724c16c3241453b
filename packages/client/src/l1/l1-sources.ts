/**
 * L1 sources in order of preference. A source that fails, limits the rate, lags or returns invalid data is suspended for growing
 * times; a source of another chain is never used again.
 */
import { type Clock, counted, type Logger, messageOf, type Random } from '@keelson/primitives'
import { ClientError } from '../client-error.ts'
import { resume, suspend } from '../suspension.ts'
import { faultOf, L1_FAULT_REST_MS, type L1Fault, type L1Source, type L1Standing, newStanding } from './l1-source.ts'

export interface L1SourcesOptions {
  readonly chainId: bigint
}

export interface L1SourcesDependencies {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

export interface AskOptions<T> {
  /** Recognizes the answer for an unknown block; other sources are then asked. */
  readonly isUnknown?: (answer: T) => boolean
  readonly what?: string
  /** Throws errors about the request, such as reverts, without asking another source. */
  readonly passAnswers?: boolean
  readonly once?: boolean
}

export interface L1Sources {
  /**
   * Throws the only source's ClientError, or a ClientError that lists all errors; `client/wrong-chain` when no source is usable.
   */
  ask<T>(question: (source: L1Source) => Promise<T>, options?: AskOptions<T>): Promise<T>
  /** Omits sources that fail. */
  askOthers<T>(than: L1Source, question: (source: L1Source) => Promise<T>): Promise<readonly (readonly [L1Source, T])[]>
  /** Throws when no source is usable. */
  check(): Promise<void>
  /** Suspends a source unless it is the only one. */
  suspend(source: L1Source, fault: L1Fault, why: string): void
  /** Suspended sources below this block number stay suspended. */
  highestHead: number
  readonly current: L1Source
  readonly all: readonly L1Source[]
}

export function createL1Sources(options: L1SourcesOptions, members: readonly L1Source[], deps: L1SourcesDependencies): L1Sources {
  const { clock, log } = deps
  const standings = members.map(newStanding)
  const alone = members.length === 1

  const candidates = (): readonly L1Standing[] => {
    const usable = standings.filter(({ chain }) => chain !== 'wrong')
    const resting = usable
      .filter(({ suspended }) => suspended !== null)
      .sort((a, b) => (a.suspended?.untilMs ?? 0) - (b.suspended?.untilMs ?? 0))
    return [...usable.filter(({ suspended }) => suspended === null), ...resting]
  }
  const standingOf = (source: L1Source) => standings.find((standing) => standing.source === source) as L1Standing

  /** Throws the error of the request, or `client/wrong-chain`. */
  const admit = async (standing: L1Standing): Promise<void> => {
    if (standing.chain === 'right') return
    const { host, rpc } = standing.source
    const chainId = readChainId(host, await rpc.call('eth_chainId', []))
    if (chainId === options.chainId) {
      standing.chain = 'right'
      return
    }
    standing.chain = 'wrong'
    const message = `the L1 at ${host} is chain ${chainId}, rollup.json expects ${options.chainId}`
    if (!alone) log.error(`${message}: it is not used; take it out of --l1.rpc or correct it`)
    throw new ClientError('client/wrong-chain', 'critical', message, { host, have: chainId, want: options.chainId })
  }

  const suspendSource = (standing: L1Standing, fault: L1Fault, why: string, error?: unknown) => {
    if (alone || standing.chain === 'wrong') return
    const already = standing.suspended !== null
    const forMs = suspend(standing, L1_FAULT_REST_MS[fault], error, deps)
    const next = candidates()[0]?.source.host
    if (!already) log.warn(`L1 at ${standing.source.host} is suspended`, { reason: fault, why, forMs, asking: next ?? 'nobody' })
  }

  const resumeSource = (standing: L1Standing) => {
    const afterMs = resume(standing, clock.nowMs())
    if (afterMs !== null) log.info(`L1 at ${standing.source.host} is used again`, { afterMs })
  }

  const probe = async (standing: L1Standing): Promise<void> => {
    standing.probing = true
    try {
      await admit(standing)
      const head = await standing.source.client.blockRef('latest')
      const behind = head === null ? sources.highestHead : sources.highestHead - head.number
      if (behind > 0) suspendSource(standing, 'behind', `it is ${counted(behind, 'block')} behind`)
      else resumeSource(standing)
    } catch (error) {
      const fault = faultOf(error)
      if (fault !== null || standing.chain !== 'wrong') suspendSource(standing, fault ?? 'failing', messageOf(error), error)
    } finally {
      standing.probing = false
    }
  }

  const probeRested = () => {
    const nowMs = clock.nowMs()
    for (const standing of standings) {
      if (standing.suspended !== null && standing.suspended.untilMs <= nowMs && !standing.probing && standing.chain !== 'wrong')
        void probe(standing)
    }
  }

  const sources: L1Sources = {
    highestHead: 0,
    get current() {
      return (candidates()[0] ?? standings[0])?.source as L1Source
    },
    all: members,
    async ask(question, { isUnknown, what = 'what was asked for', passAnswers = false, once = false } = {}) {
      probeRested()
      const troubles: ClientError[] = []
      let unknown: { readonly standing: L1Standing; readonly answer: Awaited<ReturnType<typeof question>> } | null = null
      for (const standing of candidates()) {
        if (unknown !== null && standing.suspended !== null) break
        try {
          await admit(standing)
          const answer = await question(standing.source)
          if (isUnknown?.(answer) === true) {
            unknown ??= { standing, answer }
            continue
          }
          if (unknown !== null) suspendSource(unknown.standing, 'behind', `it does not know ${what}, which ${standing.source.host} has`)
          if (standing.suspended !== null && !standing.probing && !alone) void probe(standing)
          return answer
        } catch (error) {
          const fault = faultOf(error)
          if (!(error instanceof ClientError) || error.code === 'client/aborted') throw error
          if (fault === null && passAnswers && error.code !== 'client/wrong-chain') throw error
          if (fault !== null) suspendSource(standing, fault, error.message, error)
          troubles.push(error)
          if (once) break
        }
      }
      if (unknown !== null) return unknown.answer
      throw allFailed(troubles)
    },
    async askOthers(than, question) {
      const others = standings.filter(({ source, suspended, chain }) => source !== than && suspended === null && chain !== 'wrong')
      const answers = await Promise.all(
        others.map(async (standing) => {
          try {
            await admit(standing)
            return [standing.source, await question(standing.source)] as const
          } catch (error) {
            const fault = faultOf(error)
            if (fault !== null) suspendSource(standing, fault, messageOf(error), error)
            return null
          }
        }),
      )
      return answers.filter((answer) => answer !== null)
    },
    async check() {
      const found = await Promise.all(
        standings.map(async (standing) => {
          try {
            await admit(standing)
            return null
          } catch (error) {
            if (!(error instanceof ClientError)) throw error
            suspendSource(standing, faultOf(error) ?? 'failing', error.message, error)
            return error
          }
        }),
      )
      const troubles = found.filter((trouble) => trouble !== null)
      if (troubles.length === standings.length) throw allFailed(troubles)
    },
    suspend: (source, fault, why) => suspendSource(standingOf(source), fault, why),
  }
  return sources
}

function allFailed(troubles: readonly ClientError[]): ClientError {
  const [first] = troubles
  if (first === undefined)
    return new ClientError('client/wrong-chain', 'critical', 'every L1 URL is of another chain: give --l1.rpc of the right one')
  if (troubles.length === 1) return first
  // A temporary error takes precedence: retrying is futile only when no source's error is temporary.
  const lead = troubles.find(({ severity }) => severity === 'temporary') ?? first
  const message = `none of the L1 URLs gave an answer: ${troubles.map((trouble) => trouble.message).join('; ')}`
  return new ClientError(lead.code, lead.severity, message, lead.details, { cause: lead })
}

function readChainId(host: string, answer: unknown): bigint {
  if (typeof answer === 'string' && /^0x[0-9a-f]+$/i.test(answer)) return BigInt(answer)
  throw new ClientError('client/bad-answer', 'temporary', `${host} does not say which chain it is of`, { host })
}
