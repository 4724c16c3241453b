import { resolve } from 'node:path'
import { describeHolder } from '@keelson/runtime'
import type { DoctorCheck, DoctorContext, PortUse } from '../doctor-context.ts'
import { fail, ok, type Result, skip, warn } from '../finding.ts'

export const portsCheck: DoctorCheck = {
  name: 'ports',
  async run(context) {
    const { ports } = context.settings
    if (ports.length === 0) return skip('ports', 'none are given')
    const states = await Promise.all(ports.map((use) => stateOf(use, context)))
    const troubles = states.filter((state): state is Result => typeof state !== 'string')
    const free = ports.filter((_use, i) => states[i] === 'free').map(({ port }) => port)
    const ours = ports.filter((_use, i) => states[i] === 'ours').map(({ port }) => port)
    const parts = [free.length === 0 ? '' : `free: ${free.join(', ')}`, ours.length === 0 ? '' : `held by this node: ${ours.join(', ')}`]
    const good = parts.filter((part) => part !== '').join('; ')
    return good === '' ? troubles : [ok(good), ...troubles]
  },
}

async function stateOf(
  { purpose, option, host, port }: PortUse,
  { settings, machine, otherNetwork }: DoctorContext,
): Promise<'free' | 'ours' | Result> {
  const holder = await machine.listener(host, port)
  if (holder === null) return 'free'
  if (holder.use === 'closing') {
    const why = 'a connection that had it as its local port has just ended, and the system keeps the port for a minute'
    return warn(`port ${port} on ${host} (${purpose}) is not free yet`, why, `wait a minute, or choose another port with ${option}`)
  }
  const what = `port ${port} on ${host} (${purpose}) is taken`
  if (holder.use === 'connection') {
    return fail(what, `as the local port of a connection of ${describeHolder(holder)}`, `choose another port with ${option}`)
  }
  const todo = `stop that program, or choose another port with ${option}`
  if (!holder.keelson) {
    return holder.pid === null
      ? warn(what, 'by a program of another user, or of this node elsewhere', todo)
      : fail(what, `by ${describeHolder(holder)}`, todo)
  }
  const { dataDirs } = settings
  if (otherNetwork && dataDirs.length === 0)
    return fail(what, `by a node of another network, ${describeHolder(holder)}, on ${holder.dataDir}`, todo)
  if (dataDirs.length === 0 || holder.dataDir === null || dataDirs.some((folder) => resolve(folder) === holder.dataDir)) return 'ours'
  return fail(what, `by another node, ${describeHolder(holder)}, on ${holder.dataDir}`, todo)
}
