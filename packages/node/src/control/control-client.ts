import { connect, type Socket } from 'node:net'
import { AssemblyError } from '../errors.ts'
import { type ControlAnswer, type ControlRequest, controlSocketPath, readLines } from './control-socket.ts'
import { assertOwnFolder } from './own-folder.ts'

export async function connectControl(dataDir: string): Promise<Socket | null> {
  await assertOwnFolder(dataDir)
  return new Promise((resolve, reject) => {
    const socket = connect(controlSocketPath(dataDir))
    socket.once('connect', () => resolve(socket))
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(null)
      else
        reject(
          new AssemblyError(
            'node/control',
            `cannot use ${controlSocketPath(dataDir)}: ${error.message}; run this as the node's user`,
            {},
            { cause: error },
          ),
        )
    })
  })
}

/** Throws AssemblyError `node/control`. */
export function askControl(socket: Socket, request: ControlRequest, progress: (report: unknown) => void): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = (message: string) => reject(new AssemblyError('node/control', message))
    const take = (line: string) => {
      const answer = JSON.parse(line) as ControlAnswer
      if ('progress' in answer) progress(answer.progress)
      else if ('result' in answer) resolve(answer.result)
      else reject(new AssemblyError('node/control', answer.error.message, { code: answer.error.code }))
    }
    socket.on(
      'data',
      readLines(take, () => fail('the answer of the node is too long')),
    )
    socket.on('error', (error) => fail(`the node went away: ${error.message}`))
    socket.on('close', () => fail('the node ended before the work did: look at its log'))
    socket.write(`${JSON.stringify(request)}\n`)
  })
}
