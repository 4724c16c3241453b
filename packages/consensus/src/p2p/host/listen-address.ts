export function tcpMultiaddress(host: string, port: number): string {
  return `/${host.includes(':') ? 'ip6' : 'ip4'}/${host}/tcp/${port}`
}
