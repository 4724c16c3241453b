/** What honest validators and the chain know of offences. */
import { decodeUint, OWN_CONTRACTS, STAKING_WORDS } from '@keelson/contracts'
import { type Address, parseJsonArray, parseJsonObject } from '@keelson/primitives'
import type { RollupWorld } from '../../roles/rollup-world.ts'
import type { RunningNode } from '../../roles/simulated-node.ts'
import type { Stakers } from '../../staking/stakers.ts'
import { unsafeStateOf } from '../unsafe-state.ts'
import type { OffencesView } from './offences-judge.ts'
import { validatorAt } from './stake-judge.ts'

/** Null while no honest validator's process and node run together: then no offence is seen or reported. */
export async function viewOffences({ nodes, simulation, lastFaultMs }: RollupWorld, stakers: Stakers): Promise<OffencesView | null> {
  const heard = new Set<Address>()
  const slashed = new Set<Address>(stakers.suspects)
  const honest = nodes.filter(({ name, damaged }) => !damaged && stakers.honest.includes(name) && stakers.roleOn(name)?.role != null)
  const running = honest.flatMap((node) => node.running ?? [])
  if (running.length === 0) return null
  for (const node of running) {
    for (const key of await keysHeardTwice(node)) heard.add(key)
    for (const key of slashed) if (!(await isSlashedAt(node, key))) slashed.delete(key)
  }
  return {
    nowMs: simulation.nowMs,
    lastFaultMs,
    offenders: stakers.offencesMs,
    heard: [...heard],
    isSlashed: (key) => slashed.has(key),
  }
}

async function isSlashedAt(node: RunningNode, key: Address): Promise<boolean> {
  return (await validatorAt(unsafeStateOf(node), key))?.slashed === true
}

/** Covers the current epoch and the one before, which gossip accepts. */
async function keysHeardTwice(node: RunningNode): Promise<readonly Address[]> {
  const epoch = Number(decodeUint(await unsafeStateOf(node).call(OWN_CONTRACTS.Staking, STAKING_WORDS.currentEpoch)))
  const context = { signal: new AbortController().signal, transport: 'http' as const }
  const twice: Address[] = []
  for (const past of [epoch - 1, epoch]) {
    if (past < 0) continue
    const answer = await node.consensus.methods.rollup_attestations?.([past], context)
    const keys = parseJsonArray(answer, 'attestations', (one, what) => parseJsonObject(one, what).validator as Address)
    twice.push(...keys.filter((key, i) => keys.indexOf(key) < i))
  }
  return twice
}
