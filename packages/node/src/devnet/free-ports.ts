/** Finding out before anything starts which port somebody else has. */
import { createServer } from 'node:net'
import { AssemblyError } from '../errors.ts'
import { type DevnetPorts, namedPorts } from './ports.ts'

/** Throws AssemblyError `node/usage` when the machine has no such address. */
function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else
        reject(new AssemblyError('node/usage', `cannot listen on ${host}:${port} (${error.code}): --host names an address of this machine`))
    })
    probe.listen(port, host, () => probe.close(() => resolve(true)))
  })
}

/** Throws AssemblyError `node/devnet` that names every port in use and what wanted it. */
export async function assertPortsFree(host: string, ports: DevnetPorts): Promise<void> {
  const taken: string[] = []
  for (const [name, port] of namedPorts(ports)) if (!(await isFree(host, port))) taken.push(`${port} (${name})`)
  if (taken.length === 0) return
  const noun = taken.length === 1 ? 'port is' : 'ports are'
  throw new AssemblyError(
    'node/devnet',
    `${noun} in use: ${taken.join(', ')}; stop what listens there, or move all ports with --port-offset N`,
  )
}
