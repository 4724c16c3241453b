import { setTimeout as delay } from 'node:timers/promises'
import type { DevnetProcess } from '../support/devnet-process.ts'
import { eventually } from '../support/eventually.ts'
import { rpcCall } from '../support/json-rpc.ts'
import { ROLE_NAMES, type RoleName, roleProbes } from '../support/role-probes.ts'
import type { Disturbance } from './schedule.ts'

export interface RoleCount {
  kills: number
  stops: number
  pauses: number
  readonly restartMs: number[]
}

export interface RoleKiller {
  readonly counts: Readonly<Record<RoleName, RoleCount>>
  readonly reorgs: number
  disturb(what: Disturbance): Promise<void>
  findOwnDeaths(): void
  settled(): Promise<void>
}

/** Long, because anvil replays blocks and may be writing its dump. */
const REORG_LIMIT_MS = 60_000
const ORDERLY: Readonly<Partial<Record<RoleName, NodeJS.Signals>>> = { l1: 'SIGINT' }

export function createRoleKiller(devnet: DevnetProcess, portOffset: number, violation: (text: string) => void): RoleKiller {
  const probes = roleProbes(portOffset)
  const empty = (): RoleCount => ({ kills: 0, stops: 0, pauses: 0, restartMs: [] })
  const counts = Object.fromEntries(ROLE_NAMES.map((role) => [role, empty()])) as Record<RoleName, RoleCount>
  const recovering = new Map<RoleName, Promise<void>>()
  const known = new Map<RoleName, number>()
  let reorgs = 0
  const findPid = (role: RoleName): number | undefined => devnet.rolePids()[role]
  const pidOf = (role: RoleName): number => {
    const pid = findPid(role)
    if (pid === undefined) throw new Error(`no process of ${role} is recorded`)
    return pid
  }
  for (const role of ROLE_NAMES) known.set(role, pidOf(role))

  async function end(role: RoleName, signal: NodeJS.Signals): Promise<void> {
    await recovering.get(role)
    const pid = pidOf(role)
    const ended = performance.now()
    process.kill(pid, signal)
    known.delete(role)
    const recovery = eventually(`${role} serving again after ${signal}`, async () => {
      const now = pidOf(role)
      if (now === pid) return false
      await probes[role](devnet)
      known.set(role, now)
      return true
    })
      .then(
        () => void counts[role].restartMs.push(performance.now() - ended),
        (error: unknown) => violation(error instanceof Error ? error.message : String(error)),
      )
      .finally(() => recovering.delete(role))
    recovering.set(role, recovery)
  }

  async function pause(role: RoleName, forMs: number): Promise<void> {
    await recovering.get(role)
    const pid = pidOf(role)
    process.kill(pid, 'SIGSTOP')
    try {
      await delay(forMs)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
  }

  return {
    counts,
    get reorgs() {
      return reorgs
    },
    async disturb(what) {
      switch (what.kind) {
        case 'kill':
          await end(what.role, 'SIGKILL')
          counts[what.role].kills++
          return
        case 'stop':
          await end(what.role, ORDERLY[what.role] ?? 'SIGTERM')
          counts[what.role].stops++
          return
        case 'pause':
          await pause(what.role, what.forMs)
          counts[what.role].pauses++
          return
        case 'l1-reorg':
          await recovering.get('l1')
          await rpcCall(devnet.facts.l1.rpcUrl, 'anvil_reorg', [what.depth, []], REORG_LIMIT_MS)
          reorgs++
      }
    },
    findOwnDeaths() {
      for (const [role, pid] of known) {
        const now = findPid(role)
        if (now === pid) continue
        violation(`${role} exited by itself: process ${pid} is now ${now ?? 'none, and it is not started again'}`)
        if (now === undefined) known.delete(role)
        else known.set(role, now)
      }
    },
    async settled() {
      await Promise.all(recovering.values())
    },
  }
}
