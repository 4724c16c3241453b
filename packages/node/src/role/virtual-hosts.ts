import { option, optionParsers as parse } from '@keelson/runtime'

/** Which host names a port answers to. Without the option, containers, Prometheus and a proxy that uses an address are answered. */
export function virtualHostsOption(key: string, port: string) {
  return option<readonly string[]>({
    key,
    parse: parse.list(parse.text),
    default: [],
    description:
      `Host names that ${port} answers to, besides addresses, names without a dot, names under .localhost, .local, .internal and ` +
      ".home.arpa, and this machine's own; * for all. A reverse proxy that passes on the name of the request needs it here.",
  })
}
