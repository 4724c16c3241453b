import { setMaxListeners } from 'node:events'
import { mkdirSync } from 'node:fs'
import type { Clock } from '@keelson/primitives'
import { type CatchUp, createCatchUp } from '../clocks/catch-up.ts'
import type { L1Clock } from '../clocks/l1-clock.ts'
import type { NetworkTime } from '../clocks/network-clock.ts'
import { DevnetError } from '../devnet-error.ts'
import { copyAnvilDumpAside } from '../l1/anvil.ts'
import { dumpAnvilState } from '../l1/dump-anvil-state.ts'
import { type DevnetFile, removeDevnetFile, writeDevnetFile } from '../prepare/devnet-file.ts'
import { type MetricsAt, removePrometheusTargets, writePrometheusTargets } from '../prepare/prometheus-targets.ts'
import type { DevnetPaths } from '../roles/devnet-paths.ts'
import { blockJson, blockLine, type Heads } from '../screen/block-line.ts'
import { type JsonRpc, readHeads } from '../screen/heads.ts'
import { type AnswerWatch, createAnswerWatch } from './answer-watch.ts'
import type { InstanceLock } from './instance-lock.ts'
import { createRepetitionFilter, type RepetitionFilter } from './repetition-filter.ts'
import { createRoleLog, type RoleLog } from './role-log.ts'
import { createRoleProcess, type RoleProcess, type RoleSpec } from './role-process.ts'
import { untilFrozen } from './until-frozen.ts'
import { waitUntil } from './wait-until.ts'

export interface DevnetOptions {
  readonly paths: DevnetPaths
  readonly roles: readonly RoleSpec[]
  readonly facts: DevnetFile
  readonly json: boolean
  readonly metricsAt: MetricsAt
}

export interface DevnetDependencies {
  readonly clock: Clock
  readonly time: NetworkTime
  readonly lock: InstanceLock
  readonly rpc: (url: string) => JsonRpc
  readonly print: (line: string) => void
  readonly l1Clock: (l1: JsonRpc) => L1Clock
  readonly firstScreen: (continuesFrom: number) => string
  readonly networkNowMs: () => number
}

const L1_ROLE = 'l1'
const READY_TIMEOUT_MS = 180_000
/** After this time the network counts as ready even while it catches up. */
const CATCH_UP_PATIENCE_MS = 30_000
const POLL_MS = 100
const BEAT_MS = 1_000
const ANVIL_COPY_MS = 5_000
const ROLE_GRACE_MS = 3_000
const L1_GRACE_MS = 4_000

export class Devnet {
  readonly #options: DevnetOptions
  readonly #deps: DevnetDependencies
  readonly #log: RoleLog
  readonly #repetitions: RepetitionFilter
  readonly #answers: AnswerWatch
  readonly #l1: { readonly process: RoleProcess; readonly clock: L1Clock }
  readonly #roles: readonly RoleProcess[]
  readonly #services: readonly RoleProcess[]
  readonly #running = new AbortController()
  readonly #loops: Promise<void>[] = []
  #heads: Heads = { unsafe: 0, safe: 0, finalized: 0 }
  #ready = false

  constructor(options: DevnetOptions, deps: DevnetDependencies) {
    this.#options = options
    this.#deps = deps
    this.#log = createRoleLog(
      options.paths.logs,
      options.roles.map(({ name }) => name),
    )
    this.#repetitions = createRepetitionFilter(deps.clock.nowMs)
    // each loop that sleeps listens to it
    setMaxListeners(0, this.#running.signal)
    this.#answers = createAnswerWatch({ clock: deps.clock, signal: this.#running.signal, say: (text) => this.#say(text) })
    const [l1, ...others] = options.roles
    if (l1 === undefined) throw new DevnetError('node/devnet', 'a network needs L1 as its first role')
    this.#l1 = { process: this.#processOf(l1), clock: deps.l1Clock(deps.rpc(options.facts.l1.rpcUrl)) }
    this.#roles = others.filter(({ afterChain }) => afterChain !== true).map((spec) => this.#processOf(spec))
    this.#services = others.filter(({ afterChain }) => afterChain === true).map((spec) => this.#processOf(spec))
  }

  /** Resolves when the next block can include a user's transaction. Throws DevnetError `node/devnet` after 3 minutes. */
  async start(signal: AbortSignal): Promise<void> {
    const { paths, facts, json } = this.#options
    const { time, print, firstScreen } = this.#deps
    for (const folder of [paths.l1, paths.logs]) mkdirSync(folder, { recursive: true })
    removePrometheusTargets(paths.folder)
    removeDevnetFile(paths.folder)
    await this.#startL1(signal)
    for (const role of this.#roles) role.start()
    this.#every(BEAT_MS, time.beat)
    this.#every(BEAT_MS, () => this.#stepL1Clock())
    this.#every(ANVIL_COPY_MS, () => copyAnvilDumpAside(paths.l1))
    const continuesFrom = await this.#firstNewBlock(signal)
    const catchUp = this.#createCatchUp()
    await catchUp.wait(CATCH_UP_PATIENCE_MS, signal)
    print(json ? JSON.stringify({ event: 'ready', ...facts }) : firstScreen(continuesFrom))
    // last, because a detached start shows what was printed once the file is there
    writePrometheusTargets(paths.folder, this.#options.metricsAt)
    writeDevnetFile(paths.folder, facts)
    this.#ready = true
    for (const service of this.#services) service.start()
    this.#every(BEAT_MS, async () => void (await catchUp.look()))
    const rollup = this.#deps.rpc(facts.l2.rollupRpcUrl)
    this.#every(BEAT_MS, async () => {
      this.#heads = await readHeads(rollup)
    })
  }

  async stop(): Promise<void> {
    removePrometheusTargets(this.#options.paths.folder)
    removeDevnetFile(this.#options.paths.folder)
    this.#running.abort()
    await Promise.all([...this.#services, ...this.#roles].map((role) => role.stop(ROLE_GRACE_MS)))
    await this.#l1.process.stop(L1_GRACE_MS)
    await Promise.all(this.#loops)
    this.#deps.time.beat()
  }

  /**
   * Stops every process where it is while `work` reads the files, as a power failure would, which the roles survive without a loss.
   * L1 has its state in memory: it stops mining, dumps it, and goes on answering.
   */
  async freeze<T>(work: (l1State: Uint8Array) => Promise<T>): Promise<{ readonly result: T; readonly pausedMs: number }> {
    const { clock } = this.#deps
    const { clock: l1Clock } = this.#l1
    const frozen: RoleProcess[] = []
    try {
      await l1Clock.hold()
      const l1State = await dumpAnvilState(this.#options.facts.l1.rpcUrl)
      const beganMs = clock.monotonicMs()
      for (const role of [...this.#services, ...this.#roles]) if (role.freeze()) frozen.push(role)
      await untilFrozen(
        frozen.flatMap(({ pid }) => (pid === null ? [] : [pid])),
        clock,
      )
      const result = await work(l1State)
      for (const role of frozen.splice(0)) role.thaw()
      return { result, pausedMs: clock.monotonicMs() - beganMs }
    } finally {
      for (const role of frozen) role.thaw()
      l1Clock.resume()
    }
  }

  async #startL1(signal: AbortSignal): Promise<void> {
    this.#l1.process.start()
    const steps = () => this.#l1.clock.step().then(() => true as const)
    await waitUntil(steps, this.#deps.clock, { what: 'L1 answering', timeoutMs: READY_TIMEOUT_MS, intervalMs: POLL_MS, signal })
  }

  async #stepL1Clock(): Promise<void> {
    const line = await this.#l1.clock.step()
    if (line !== null) this.#say(line)
  }

  async #firstNewBlock(signal: AbortSignal): Promise<number> {
    const { clock } = this.#deps
    const { paths, facts } = this.#options
    const l2 = this.#deps.rpc(facts.l2.rpcUrl)
    const head = async () => Number(await l2.request('eth_blockNumber', []))
    const waiting = { timeoutMs: READY_TIMEOUT_MS, intervalMs: POLL_MS, signal, hint: () => `see the logs in ${paths.logs}` }
    const continuesFrom = await waitUntil(head, clock, { ...waiting, what: 'the execution client answering' })
    const hasNewBlock = async () => ((await head()) > continuesFrom ? true : null)
    await waitUntil(hasNewBlock, clock, { ...waiting, what: 'the first new block' })
    return continuesFrom
  }

  #createCatchUp(): CatchUp {
    const { clock, print, networkNowMs } = this.#deps
    const { facts, json } = this.#options
    const l2 = this.#deps.rpc(facts.l2.rpcUrl)
    return createCatchUp({
      head: async () => {
        const { number, timestamp } = (await l2.request('eth_getBlockByNumber', ['latest', false])) as Record<string, string>
        return { number: Number(number), timestampSec: Number(timestamp) }
      },
      nowMs: networkNowMs,
      clock,
      say: (text) => this.#say(text),
      report: (event) => {
        if (json) print(JSON.stringify(event))
      },
    })
  }

  #processOf(spec: RoleSpec): RoleProcess {
    return createRoleProcess(spec, this.#deps.clock, {
      started: (role, pid) => {
        this.#deps.lock.recordRole(role, pid)
        if (role === L1_ROLE) this.#l1.clock.started()
        void this.#answers.began(spec)
      },
      died: (role, how, restartInMs) => {
        this.#deps.lock.recordRestart(role)
        this.#say(`${role} ended (${how}), starting it again ${restartInMs === 0 ? 'now' : `in ${restartInMs / 1000} s`}`)
      },
      stoppedForGood: (role, what, lastWords) => {
        this.#deps.lock.recordStopped(role, lastWords === '' ? what : `${what}: ${lastWords}`)
        // The role's last line, already printed, explains what to do.
        this.#say(`${role} ended: ${what}. It is not started again; when that is mended, stop the network and start it again`)
      },
      output: (role, line) => this.#show(role, line),
    })
  }

  #show(role: string, line: string): void {
    const shown = this.#log.take(role, line)
    if (shown === null) return
    if (shown.kind === 'block') {
      if (this.#ready) this.#deps.print(this.#options.json ? blockJson(shown.block, this.#heads) : blockLine(shown.block, this.#heads))
      return
    }
    if (!this.#ready && shown.level !== 'error') return
    const text = this.#repetitions.pass(shown.key, shown.text)
    if (text !== null) this.#say(text)
  }

  #say(text: string): void {
    if (!this.#options.json) this.#deps.print(text)
  }

  #every(intervalMs: number, act: () => Promise<void> | void): void {
    const { clock } = this.#deps
    const loop = async () => {
      while (!this.#running.signal.aborted) {
        await Promise.resolve(act()).catch(() => undefined)
        await clock.sleep(intervalMs, this.#running.signal).catch(() => undefined)
      }
    }
    this.#loops.push(loop())
  }
}
