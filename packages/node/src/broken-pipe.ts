/** Exit code that shells report for SIGPIPE (128 + 13); Node.js ignores that signal. */
export const EXIT_BROKEN_PIPE = 128 + 13

/**
 * Handles a closed output, as in `keelson doctor | head -1`: roles and the devnet stop in order, other commands exit with
 * EXIT_BROKEN_PIPE.
 */
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
