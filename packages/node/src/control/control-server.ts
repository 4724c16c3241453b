import { chmod, mkdir, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { type Logger, messageOf, NodeError } from '@keelson/primitives'
import type { Service } from '@keelson/runtime'
import { type ControlAnswer, type ControlRequest, controlSocketPath, readLines } from './control-socket.ts'
import { assertOwnFolder } from './own-folder.ts'

export interface ControlServerOptions {
  readonly dataDir: string
  run(request: ControlRequest, context: { readonly signal: AbortSignal; progress(report: unknown): void }): Promise<unknown>
  readonly log: Logger
}

const MAX_CONNECTIONS = 8
const OWNER_ONLY = 0o177

/** Requires the directory's lock, so an existing socket is a leftover. */
export function createControlServer({ dataDir, run, log }: ControlServerOptions): Service {
  const path = controlSocketPath(dataDir)
  const connections = new Set<Socket>()
  let server: Server | null = null

  const serve = (socket: Socket): void => {
    connections.add(socket)
    const gone = new AbortController()
    let busy = false
    const send = (answer: ControlAnswer) => {
      if (!socket.destroyed) socket.write(`${JSON.stringify(answer)}\n`)
    }
    const answer = async (line: string): Promise<void> => {
      busy = true
      try {
        const request = JSON.parse(line) as ControlRequest
        log.info('a task of the control socket begins', { task: String(request.task).slice(0, 32) })
        const result = await run(request, { signal: gone.signal, progress: (report) => send({ progress: report }) })
        send({ result: result ?? null })
      } catch (error) {
        send({ error: describe(error) })
        if (!(error instanceof NodeError) && !gone.signal.aborted) log.error('a task of the control socket failed', { error })
      } finally {
        busy = false
        socket.end()
      }
    }
    socket.on('close', () => {
      connections.delete(socket)
      gone.abort()
    })
    socket.on('error', () => socket.destroy())
    socket.on(
      'data',
      readLines(
        (line) => {
          if (!busy) void answer(line)
        },
        () => socket.destroy(),
      ),
    )
  }

  return {
    name: 'control socket',
    async start() {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await assertOwnFolder(dataDir)
      await rm(path, { force: true })
      const listening = createServer(serve)
      listening.maxConnections = MAX_CONNECTIONS
      server = listening
      await new Promise<void>((resolve, reject) => {
        listening.once('error', reject)
        const before = process.umask(OWNER_ONLY)
        listening.listen(path, resolve)
        process.umask(before)
      })
      await chmod(path, 0o600)
    },
    async stop() {
      const stopping = server
      if (stopping === null) return
      const closed = new Promise<void>((resolve) => stopping.close(() => resolve()))
      for (const socket of connections) socket.destroy()
      await closed
      await rm(path, { force: true })
    },
  }
}

function describe(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof NodeError) return { code: error.code, message: error.message }
  return { code: 'node/control', message: messageOf(error) }
}
