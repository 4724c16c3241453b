import type { Fork } from '@keelson/chainspec'
import { createBlockingKzg, createNativeCrypto } from '@keelson/node/assembly'
import type { Crypto, Kzg } from '@keelson/primitives'
import { createLogger, createSilentLogger, createSystemClock } from '@keelson/runtime'
import { buildL2Start, forkBefore, type L2Start, type RunOptions, type RunResult, type Scenario, simulate } from '@keelson/simulator'

/** 15 January 2027. */
export const START_MS = 1_800_000_000_000
const US_PER_MS = 1_000

export interface Prepared {
  readonly crypto: Crypto
  /** Genesis with this fork, or the newest; each is built once. */
  l2(fork: Fork | null): Promise<L2Start>
  /** Loads the trusted setup when it is called first. */
  realKzg(): Kzg
}

export interface Outcome extends RunResult {
  /** Processor time of this process, including garbage collection. */
  readonly processorMs: number
  readonly realMs: number
}

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug'

/** Shared by all runs of a process. */
export async function prepare(): Promise<Prepared> {
  const crypto = createNativeCrypto()
  let kzg: Kzg | null = null
  const realKzg = () => {
    kzg ??= createBlockingKzg()
    return kzg
  }
  const starts = new Map<Fork | null, Promise<L2Start>>()
  const l2 = (fork: Fork | null) => {
    const start = starts.get(fork) ?? buildL2Start(START_MS / 1000, crypto, fork ?? undefined)
    starts.set(fork, start)
    return start
  }
  await l2(null)
  return { crypto, l2, realKzg }
}

export async function runOnce(
  { realKzg, l2: startWith, crypto }: Prepared,
  scenario: Scenario,
  { log = 'silent', onHour, film }: { readonly log?: LogLevel } & Partial<Pick<RunOptions, 'onHour' | 'film'>> = {},
): Promise<Outcome> {
  const sink = { terminal: false, write: (line: string) => void process.stderr.write(`${line}\n`) }
  const l2 = await startWith(forkBefore(scenario.upgrades ?? []))
  const clock = createSystemClock()
  const beganMs = clock.monotonicMs()
  const before = process.cpuUsage()
  const result = await simulate({
    ...scenario,
    crypto,
    l2,
    ...(scenario.realCrypto === true ? { kzg: realKzg() } : {}),
    startMs: START_MS,
    logger: ({ clock, name }) =>
      log === 'silent' ? createSilentLogger() : createLogger({ clock, name, level: log, format: 'human', sink }),
    ...(onHour === undefined ? {} : { onHour }),
    ...(film === undefined ? {} : { film }),
  })
  const used = process.cpuUsage(before)
  return { ...result, processorMs: (used.user + used.system) / US_PER_MS, realMs: clock.monotonicMs() - beganMs }
}
