/** Restarts a role at once after its first failure, later with backoff, never after a final exit code. */
import { type ChildProcess, spawn } from 'node:child_process'
import { type Clock, messageOf } from '@keelson/primitives'
import { endWithSupervisor } from './supervisor-watch.ts'

export interface RoleSpec {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly stopSignal: NodeJS.Signals
  readonly afterChain?: boolean
  readonly answersAt?: string
  /** For a program that does not end when its standard input closes: a watcher ends it. */
  readonly outlivesSupervisor?: boolean
  /** Reasons not to restart, by exit code. */
  readonly finalExits?: Readonly<Record<number, string>>
  /** Repairs files after a crash, before each restart. */
  readonly beforeRestart?: () => Promise<unknown>
}

export interface RoleEvents {
  started(role: string, pid: number): void
  died(role: string, how: string, restartInMs: number): void
  stoppedForGood(role: string, what: string, lastWords: string): void
  output(role: string, line: string): void
}

export interface RoleProcess {
  readonly name: string
  readonly pid: number | null
  readonly restarts: number
  start(): void
  /** Stops the process where it is; false when there is none. */
  freeze(): boolean
  thaw(): void
  stop(graceMs: number): Promise<void>
}

const BACK_OFF_MS = [0, 1_000, 2_000, 5_000, 10_000, 30_000]
const STABLE_AFTER_MS = 60_000
const MAX_LINE_CHARS = 16_384

export function createRoleProcess(spec: RoleSpec, clock: Clock, events: RoleEvents): RoleProcess {
  const stopping = new AbortController()
  let child: ChildProcess | null = null
  let deaths = 0
  let restarts = 0
  let startedAtMs = 0
  let lastWords = ''

  function launch(): void {
    startedAtMs = clock.nowMs()
    // Keeps Ctrl-C from the role, so that the supervisor stops roles in order.
    const started = spawn(spec.command, spec.args, {
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...spec.env },
    })
    child = started
    // The role ends when its standard input closes.
    started.stdin?.on('error', () => undefined)
    for (const stream of [started.stdout, started.stderr]) {
      if (stream === null) continue
      eachLine(stream, (line) => {
        lastWords = line
        events.output(spec.name, line)
      })
    }
    let callOffWatch: () => void = () => undefined
    if (started.pid !== undefined) {
      events.started(spec.name, started.pid)
      if (spec.outlivesSupervisor === true) callOffWatch = endWithSupervisor(started.pid, spec.stopSignal)
    }
    let over = false
    const ended = (how: string) => {
      if (over) return
      over = true
      callOffWatch()
      onDeath(how)
    }
    started.once('error', (error) => ended(error.message))
    started.once('exit', (code, signal) => {
      const final = code === null ? undefined : spec.finalExits?.[code]
      if (final === undefined) return ended(signal === null ? `exit code ${code}` : `signal ${signal}`)
      over = true
      callOffWatch()
      child = null
      if (!stopping.signal.aborted) started.once('close', () => events.stoppedForGood(spec.name, final, lastWords))
    })
  }

  function onDeath(how: string): void {
    child = null
    if (stopping.signal.aborted) return
    if (clock.nowMs() - startedAtMs > STABLE_AFTER_MS) deaths = 0
    const waitMs = BACK_OFF_MS[Math.min(deaths, BACK_OFF_MS.length - 1)] as number
    deaths++
    restarts++
    events.died(spec.name, how, waitMs)
    clock
      .sleep(waitMs, stopping.signal)
      .then(() => spec.beforeRestart?.())
      .then(
        () => {
          if (!stopping.signal.aborted) launch()
        },
        (error: unknown) => {
          if (!stopping.signal.aborted) onDeath(messageOf(error))
        },
      )
  }

  return {
    name: spec.name,
    get pid() {
      return child?.pid ?? null
    },
    get restarts() {
      return restarts
    },
    start: launch,
    freeze: () => child?.kill('SIGSTOP') ?? false,
    thaw: () => void child?.kill('SIGCONT'),
    async stop(graceMs) {
      stopping.abort()
      const running = child
      if (running === null || running.exitCode !== null || running.signalCode !== null) return
      const gone = new Promise<void>((resolve) => running.once('exit', () => resolve()))
      running.kill(spec.stopSignal)
      const timer = new AbortController()
      const forced = clock.sleep(graceMs, timer.signal).then(
        () => void running.kill('SIGKILL'),
        () => undefined,
      )
      await gone
      timer.abort()
      await forced
    },
  }
}

function eachLine(stream: NodeJS.ReadableStream, handle: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = (lines.pop() ?? '').slice(-MAX_LINE_CHARS)
    for (const line of lines) if (line !== '') handle(line.slice(0, MAX_LINE_CHARS))
  })
  stream.on('end', () => {
    if (rest !== '') handle(rest)
  })
}
