import type { RollupWorld } from '../roles/rollup-world.ts'
import type { Fault, Scene } from './fault-kind.ts'
import { faultKind } from './fault-kinds.ts'
import { Overlaps } from './overlaps.ts'

/** Puts a schedule on the queue of the simulation. The returned list grows by the faults that happened. */
export function runFaults(world: RollupWorld, faults: readonly Fault[]): readonly Fault[] {
  const { simulation } = world
  const happened: Fault[] = []
  const scene: Scene = {
    world,
    stops: new Overlaps(),
    outages: new Overlaps(),
    cuts: new Overlaps(),
    qualities: new Overlaps(),
    slowness: new Overlaps(),
    fullness: new Overlaps(),
    misconduct: new Overlaps(),
    liars: new Overlaps(),
    floods: new Overlaps(),
    skews: new Overlaps(),
    drifts: new Overlaps(),
  }
  for (const fault of faults) {
    simulation.after(fault.atMs, null, `fault ${fault.kind}`, () => {
      const end = faultKind(fault.kind)?.begin(scene, fault) ?? null
      if (end === null) return
      happened.push(fault)
      world.lastFaultMs = Math.max(world.lastFaultMs, simulation.nowMs + fault.durationMs)
      simulation.after(fault.durationMs, null, `end of fault ${fault.kind}`, end)
    })
  }
  return happened
}
