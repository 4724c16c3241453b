import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface EngineProcessRequest {
  readonly directory: string
  readonly l1BlockTimeSec: number
  readonly jwtSecret: string
}

export interface EngineProcess {
  readonly url: string
  stop(): Promise<void>
}

export type EngineProcessMessage = { readonly url: string }

const ENTRY = fileURLToPath(new URL('./engine-process-main.ts', import.meta.url))

export async function startEngineProcess(request: EngineProcessRequest): Promise<EngineProcess> {
  const child = fork(ENTRY, [], { execArgv: ['--import=tsx'] })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.send(request)
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => resolve((message as EngineProcessMessage).url))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the execution client exited with code ${code} before it listened`)))
  })
  return {
    url,
    stop() {
      child.disconnect()
      return exited
    },
  }
}
