import { fork } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'

export interface StrangersAnswered {
  readonly answered: number
  readonly refused: number
}

export async function startStrangers(url: string, bodies: readonly string[], addresses: readonly string[]) {
  const child = fork(fileURLToPath(new URL('./strangers-main.ts', import.meta.url)), [url, addresses.join(',')], {
    execArgv: ['--import=tsx'],
  })
  // Clients on other machines would not take the node's CPU time.
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
