/** Asks nodes and roles at a fixed rate, so that the number of readers does not matter to them. */
import type { Clock, Logger } from '@keelson/primitives'
import { createPoller, type HttpClient, type Service } from '@keelson/runtime'
import type { Heads, HeadsDocument, NetworkDocument, NodeReport, Problem, RoleReport } from '../../shared/network-document.ts'
import type { IncidentStore } from './incident-file.ts'
import { createIncidents } from './incidents.ts'
import { type NamedUrl, readHeads, readNode } from './read-node.ts'
import { problemsOf, readRole } from './read-role.ts'

export interface NetworkWatchOptions {
  /** The first that answers gives the heads. */
  readonly nodes: readonly NamedUrl[]
  readonly roles: readonly NamedUrl[]
}

export interface NetworkWatch extends Service {
  heads(): HeadsDocument
  document(): NetworkDocument
}

export interface NetworkWatchDependencies {
  readonly http: HttpClient
  readonly incidentStore: IncidentStore
  readonly clock: Clock
  readonly log: Logger
}

const HEADS_INTERVAL_MS = 1_000
const REPORT_INTERVAL_MS = 4_000

export function createNetworkWatch(
  { nodes, roles }: NetworkWatchOptions,
  { http, incidentStore, clock, log }: NetworkWatchDependencies,
): NetworkWatch {
  let heads: Heads | null = null
  let nodeReports: readonly NodeReport[] = []
  let roleReports: readonly RoleReport[] = []
  let problems: readonly Problem[] = []
  /** When a role stopped answering; roles themselves say since when a check fails. */
  const silentSince = new Map<string, number>()
  const seenReady = new Set<string>()
  const incidents = createIncidents()

  const stepHeads = async (signal: AbortSignal) => {
    for (const { url } of nodes) {
      const found = await readHeads(http, url, signal)
      if (typeof found === 'string') continue
      heads = found
      return
    }
    heads = null
  }
  const stepReports = async (signal: AbortSignal) => {
    ;[nodeReports, roleReports] = await Promise.all([
      Promise.all(nodes.map((node) => readNode(http, node, signal))),
      Promise.all(roles.map((role) => readRole(http, role, signal))),
    ])
    if (signal.aborted) return
    const nowMs = clock.nowMs()
    for (const { name, trouble, ready } of roleReports) {
      if (ready) seenReady.add(name)
      if (trouble === null) silentSince.delete(name)
      else if (!silentSince.has(name)) silentSince.set(name, nowMs)
    }
    problems = roleReports.flatMap((role) => problemsOf(role, silentSince.get(role.name) ?? nowMs))
    if (incidents.update(problems, nowMs, (role) => seenReady.has(role))) await incidentStore.write(incidents.list())
  }
  const poll = (step: (signal: AbortSignal) => Promise<void>, intervalMs: number) =>
    createPoller(step, { clock, intervalMs, onError: (error) => log.warn('watching the network failed, retrying', { error }) })
  const pollers = [poll(stepHeads, HEADS_INTERVAL_MS), poll(stepReports, REPORT_INTERVAL_MS)]

  return {
    name: 'network watch',
    heads: () => ({ timeMs: clock.nowMs(), heads, problems: problems.length }),
    document: () => ({ timeMs: clock.nowMs(), heads, nodes: nodeReports, roles: roleReports, problems, incidents: incidents.list() }),
    async start() {
      incidents.restore(await incidentStore.read())
      for (const poller of pollers) poller.start()
    },
    async stop() {
      await Promise.all(pollers.map((poller) => poller.stop()))
    },
  }
}
