/** Handles output that nobody reads any more, as in `keelson doctor | head -1`. */

/** The exit code that shells report for a program ended by SIGPIPE (128 + 13). Node.js ignores that signal. */
export const EXIT_BROKEN_PIPE = 128 + 13

/**
 * Ends this process quietly when its output is closed: a role and the development network stop in order, as on SIGTERM,
 * everything else exits with EXIT_BROKEN_PIPE.
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
