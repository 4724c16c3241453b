/** One anvil process for one fork, on a loopback port of its own choice. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { anvilBinary } from '../../../../packages/devnet/src/l1/anvil.ts'

const START_LIMIT_MS = 30_000
const ANSWER_LIMIT_MS = 60_000

export class AnvilProcess {
  readonly #child: ChildProcess
  readonly #port: Promise<number>

  constructor(options: readonly string[]) {
    const fixed = ['--port', '0', '--chain-id', '1', '--accounts', '0', '--no-mining', '--order', 'fifo', '--auto-impersonate']
    const limits = ['--gas-limit', '1000000000', '--disable-min-priority-fee']
    this.#child = spawn(anvilBinary(), [...fixed, ...limits, ...options], { stdio: ['ignore', 'pipe', 'ignore'] })
    this.#port = this.#listening()
  }

  #listening(): Promise<number> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`anvil did not start within ${START_LIMIT_MS} ms`)), START_LIMIT_MS)
      this.#child.once('exit', (code) => reject(new Error(`anvil exited with code ${code}`)))
      createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
        const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(line)?.[1]
        if (port === undefined) return
        clearTimeout(timer)
        resolve(Number(port))
      })
    })
  }

  /** Throws with anvil's message. */
  async ask<T>(method: string, ...params: unknown[]): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${await this.#port}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    })
    const answer = (await response.json()) as { result?: T; error?: { message: string } }
    if (answer.error !== undefined) throw new Error(`anvil ${method}: ${answer.error.message}`)
    return answer.result as T
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const gone = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill()
    await gone
  }
}
