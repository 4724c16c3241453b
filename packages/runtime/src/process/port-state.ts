import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'

/**
 * `connection`: the local port of an open connection. `closing`: that connection has ended, but the system still keeps the port
 * (TIME-WAIT). Outside Linux a port in use is a `listener`.
 */
export type PortState =
  | { readonly kind: 'free' }
  | { readonly kind: 'closing' }
  | { readonly kind: 'listener' | 'connection'; readonly inode: string | null }

/** Time for which a system keeps the port of a closed connection, with a margin. Linux: TCP_TIMEWAIT_LEN, 60 s. */
export const CLOSING_MS = 65_000

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6']
const LISTEN = '0A'
/** FIN-WAIT-1, FIN-WAIT-2, TIME-WAIT, CLOSE, LAST-ACK, CLOSING. */
const ENDED = new Set(['04', '05', '06', '07', '09', '0B'])

/** Rejects with the system's error unless it is EADDRINUSE. */
export async function portState(host: string, port: number): Promise<PortState> {
  if (await canListen(host, port)) return { kind: 'free' }
  const tables = await Promise.all(TABLES.map((table) => readFile(table, 'utf8').catch(() => '')))
  return judgeTaken(port, tables)
}

export function judgeTaken(port: number, tables: readonly string[]): PortState {
  const sockets = socketsOn(port, tables)
  const listener = sockets.find(({ state }) => state === LISTEN)
  if (listener !== undefined) return { kind: 'listener', inode: listener.inode }
  const open = sockets.find(({ state }) => !ENDED.has(state ?? ''))
  if (open !== undefined) return { kind: 'connection', inode: open.inode }
  return sockets.length === 0 ? { kind: 'listener', inode: null } : { kind: 'closing' }
}

/** The rows of /proc/net/tcp or udp whose local port is `port`. */
export function socketsOn(
  port: number,
  tables: readonly string[],
): readonly { readonly state: string | undefined; readonly inode: string | null }[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return tables
    .flatMap((table) => table.split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local]) => local?.endsWith(wanted))
    .map((fields) => ({ state: fields[3], inode: fields[9] ?? null }))
}

/** Binds the port exclusively, as the roles do. */
function canListen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(error)
    })
    probe.listen({ host, port }, () => probe.close(() => resolve(true)))
  })
}
