/** 128 plus the number of SIGPIPE. */
export const EXIT_BROKEN_PIPE = 128 + 13

/** When the output is closed (`keelson doctor | head -1`), roles and the devnet stop in order; other commands exit. */
export function endOnBrokenPipe(): void {
  let ended = false
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      if (ended) return
      ended = true
      if (process.listenerCount('SIGTERM') > 0) process.kill(process.pid, 'SIGTERM')
      else process.exit(EXIT_BROKEN_PIPE)
    })
  }
}
