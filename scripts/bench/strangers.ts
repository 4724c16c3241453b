/** Callers from several loopback addresses, each of which asks as much as the node lets it, in a process of their own. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface StrangersAnswered {
  readonly answered: number
  /** With 429 or another refusal. */
  readonly refused: number
}

/** Resolves when they have begun; the function it gives stops them. */
export async function startStrangers(url: string, bodies: readonly string[], addresses: readonly string[]) {
  const child = fork(fileURLToPath(new URL('./strangers-main.ts', import.meta.url)), [url, addresses.join(',')], {
    execArgv: ['--import=tsx'],
  })
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
