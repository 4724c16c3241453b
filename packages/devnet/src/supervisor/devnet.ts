/**
 * The development network from the first port check to the last dump: makes the network's files, starts
 * L1, starts the roles, says when it is ready, keeps everything alive, and stops it in order.
 */
import { mkdirSync } from 'node:fs'
import type { Clock } from '@keelson/primitives'
import { createCatchUp } from '../clocks/catch-up.ts'
import type { L1Clock } from '../clocks/l1-clock.ts'
import type { NetworkTime } from '../clocks/network-clock.ts'
import { copyAnvilDumpAside } from '../l1/anvil.ts'
import { type DevnetFile, removeDevnetFile, writeDevnetFile } from '../prepare/devnet-file.ts'
import type { DevnetPaths } from '../roles/devnet-paths.ts'
import { blockJson, blockLine, type Heads } from '../screen/block-line.ts'
import { type JsonRpc, readHeads } from '../screen/heads.ts'
import { createAnswerWatch } from './answer-watch.ts'
import type { InstanceLock } from './instance-lock.ts'
import { createRepetitionFilter } from './repetition-filter.ts'
import { createRoleLog } from './role-log.ts'
import { createRoleProcess, type RoleProcess, type RoleSpec } from './role-process.ts'
import { waitUntil } from './wait-until.ts'

export interface DevnetOptions {
  readonly paths: DevnetPaths
  /** L1 first; see devnetRoles. */
  readonly roles: readonly RoleSpec[]
  readonly facts: DevnetFile
  /** JSON lines instead of screens. */
  readonly json: boolean
}

export interface DevnetDependencies {
  readonly clock: Clock
  readonly time: NetworkTime
  readonly lock: InstanceLock
  readonly rpc: (url: string) => JsonRpc
  readonly print: (line: string) => void
  readonly l1Clock: (l1: JsonRpc) => L1Clock
  readonly firstScreen: (continuesFrom: number) => string
  /** The network's clock. */
  readonly networkNowMs: () => number
}

const L1_ROLE = 'l1'
const READY_TIMEOUT_MS = 180_000
/** The network counts as ready after this while it still catches up with real time. */
const CATCH_UP_PATIENCE_MS = 30_000
const POLL_MS = 100
const BEAT_MS = 1_000
const ANVIL_COPY_MS = 5_000
const ROLE_GRACE_MS = 3_000
const L1_GRACE_MS = 4_000

export interface Devnet {
  /** Resolves when a user transaction can be in the next block. */
  start(signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

export function createDevnet(options: DevnetOptions, deps: DevnetDependencies): Devnet {
  const { paths, facts } = options
  const { clock, print } = deps
  const log = createRoleLog(paths.logs)
  const repetitions = createRepetitionFilter(clock.nowMs)
  const running = new AbortController()
  const loops: Promise<void>[] = []
  const l1 = deps.rpc(facts.l1.rpcUrl)
  const l1Clock = deps.l1Clock(l1)
  const l2 = deps.rpc(facts.l2.rpcUrl)
  const rollup = deps.rpc(facts.l2.rollupRpcUrl)
  let heads: Heads = { unsafe: 0, safe: 0, finalized: 0 }
  let ready = false

  const say = (text: string) => {
    if (!options.json) print(text)
  }

  const answerWatch = createAnswerWatch({ clock, signal: running.signal, say })

  const processOf = (spec: RoleSpec): RoleProcess =>
    createRoleProcess(spec, clock, {
      started: (role, pid) => {
        deps.lock.recordRole(role, pid)
        if (role === L1_ROLE) l1Clock.started()
        void answerWatch.began(spec)
      },
      died: (role, how, restartInMs) =>
        say(`${role} ended (${how}), starting it again ${restartInMs === 0 ? 'now' : `in ${restartInMs / 1000} s`}`),
      stoppedForGood(role, what, lastWords) {
        deps.lock.recordStopped(role, lastWords === '' ? what : `${what}: ${lastWords}`)
        // its own last line, with what to do, is on the console already
        say(`${role} ended: ${what}. It is not started again; when that is mended, stop the network and start it again`)
      },
      output(role, line) {
        const shown = log.take(role, line)
        if (shown === null) return
        if (shown.kind === 'text') {
          // while everything starts at once, roles wait for one another and say so; that is in their logs
          const text = ready || shown.level === 'error' ? repetitions.pass(shown.key, shown.text) : null
          if (text !== null) say(text)
          return
        }
        if (ready) print(options.json ? blockJson(shown.block, heads) : blockLine(shown.block, heads))
      },
    })
  const services = options.roles.filter(({ afterChain }) => afterChain === true).map(processOf)
  const roles = options.roles.filter(({ afterChain }) => afterChain !== true).map(processOf)

  function every(intervalMs: number, act: () => Promise<void> | void): void {
    const loop = async () => {
      while (!running.signal.aborted) {
        await Promise.resolve(act()).catch(() => undefined)
        await clock.sleep(intervalMs, running.signal).catch(() => undefined)
      }
    }
    loops.push(loop())
  }

  const blockNumber = async (rpc: JsonRpc) => Number(await rpc.request('eth_blockNumber', []))

  return {
    async start(signal) {
      for (const folder of [paths.l1, paths.logs]) mkdirSync(folder, { recursive: true })
      removeDevnetFile(paths.folder)
      const [first, ...others] = roles
      first?.start()
      await waitUntil(() => l1Clock.step().then(() => true as const), clock, {
        what: 'L1 answering',
        timeoutMs: READY_TIMEOUT_MS,
        intervalMs: POLL_MS,
        signal,
      })
      for (const role of others) role.start()
      every(BEAT_MS, deps.time.beat)
      every(BEAT_MS, async () => {
        const line = await l1Clock.step()
        if (line !== null) say(line)
      })
      every(ANVIL_COPY_MS, () => copyAnvilDumpAside(paths.l1))
      const waiting = { timeoutMs: READY_TIMEOUT_MS, intervalMs: POLL_MS, signal, hint: () => `see the logs in ${paths.logs}` }
      const continuesFrom = await waitUntil(() => blockNumber(l2), clock, { ...waiting, what: 'the execution client answering' })
      await waitUntil(async () => ((await blockNumber(l2)) > continuesFrom ? true : null), clock, {
        ...waiting,
        what: 'the first new block',
      })
      const catchUp = createCatchUp({
        head: async () => {
          const { number, timestamp } = (await l2.request('eth_getBlockByNumber', ['latest', false])) as Record<string, string>
          return { number: Number(number), timestampSec: Number(timestamp) }
        },
        nowMs: deps.networkNowMs,
        clock,
        say,
        report: (event) => {
          if (options.json) print(JSON.stringify(event))
        },
      })
      await catchUp.wait(CATCH_UP_PATIENCE_MS, signal)
      writeDevnetFile(paths.folder, facts)
      print(options.json ? JSON.stringify({ event: 'ready', ...facts }) : deps.firstScreen(continuesFrom))
      ready = true
      for (const service of services) service.start()
      every(BEAT_MS, async () => void (await catchUp.look()))
      every(BEAT_MS, async () => {
        heads = await readHeads(rollup)
      })
    },
    async stop() {
      removeDevnetFile(paths.folder)
      running.abort()
      const [first, ...others] = roles
      await Promise.all([...services, ...others].map((role) => role.stop(ROLE_GRACE_MS)))
      await first?.stop(L1_GRACE_MS)
      await Promise.all(loops)
      deps.time.beat()
      deps.lock.release()
    },
  }
}
