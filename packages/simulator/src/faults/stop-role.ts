/** Stops that several kinds of faults share: one process, or a machine without power. */
import type { Scene } from './fault-kind.ts'

export interface Stoppable {
  kill(): void
  stop(): void
  start(): void
}

type End = (() => void) | null

/** Kills the role until the last fault at this place ends. Returns the function that ends this one. */
export function stopRole({ stops }: Pick<Scene, 'stops'>, place: string, role: Stoppable): () => void {
  return stops.begin(place, null, ({ length }) => (length > 0 ? role.kill() : role.start()))
}

/** Ends the role as its operator does, until the last fault at this place ends. Returns the function that ends this one. */
export function stopGracefully({ stops }: Pick<Scene, 'stops'>, place: string, role: Stoppable): () => void {
  return stops.begin(place, null, ({ length }) => (length > 0 ? role.stop() : role.start()))
}

/** `stopAll` stops the processes of the machine. Returns the function that gives power back and starts them. */
export function cutPower({ world, outages }: Scene, machine: string, stopAll: () => readonly End[]): () => void {
  const { network } = world
  // First, so that no process resets its connections.
  const outage = outages.begin(machine, null, ({ length }) => (length > 0 ? network.losePower(machine) : network.regainPower(machine)))
  const ends = stopAll()
  for (const disk of world.disksOf(machine)) disk.losePower()
  return () => {
    outage()
    for (const end of ends) end?.()
  }
}
