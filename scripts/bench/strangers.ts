/** Starts a process with callers from several loopback addresses that send requests at the highest rate the node allows. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'

export interface StrangersAnswered {
  readonly answered: number
  /** Requests refused with 429 or another error. */
  readonly refused: number
}

/** Resolves when the callers have started, with a function that stops them. */
export async function startStrangers(url: string, bodies: readonly string[], addresses: readonly string[]) {
  const child = fork(fileURLToPath(new URL('./strangers-main.ts', import.meta.url)), [url, addresses.join(',')], {
    execArgv: ['--import=tsx'],
  })
  // The callers stand for other machines: they must not take CPU time from the node.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  child.send(bodies)
  await once(child, 'message')
  return async (): Promise<StrangersAnswered> => {
    child.send('stop')
    const [counted] = (await once(child, 'message')) as [StrangersAnswered]
    child.disconnect()
    await once(child, 'exit')
    return counted
  }
}
