import type { Socket } from 'node:net'
import type { ByteStream } from '@keelson/execution'

/** Errors of the socket end its iterator. */
export function tcpStream(socket: Socket): ByteStream {
  socket.setNoDelay(true)
  // an error without a reader must not stop the process
  socket.on('error', () => undefined)
  let drained: Promise<void> | null = null
  const untilDrained = () => {
    drained ??= new Promise<void>((resolve, reject) => {
      const onDrain = () => end(resolve)
      const onClose = () => end(() => reject(closedError()))
      const end = (settle: () => void) => {
        socket.off('drain', onDrain).off('close', onClose)
        drained = null
        settle()
      }
      socket.on('drain', onDrain).on('close', onClose)
    })
    return drained
  }
  return {
    host: socket.remoteAddress?.replace(/^::ffff:/, '') ?? '',
    port: socket.remotePort ?? 0,
    async write(data) {
      if (socket.destroyed || socket.writableEnded) throw closedError()
      if (!socket.write(data)) await untilDrained()
    },
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
    [Symbol.asyncIterator]: () => socket[Symbol.asyncIterator](),
  }
}

function closedError(): Error {
  return Object.assign(new Error('the connection was closed'), { code: 'EPIPE' })
}
