import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AbiDocument } from '../shared/abi-document.ts'
import type { ConfigDocument } from '../shared/config-document.ts'
import { isPagePath } from '../shared/page-paths.ts'
import { sendFile } from './files/send-file.ts'
import type { StaticFiles } from './files/static-files.ts'
import type { NetworkWatch } from './network/network-watch.ts'
import { refuse } from './proxy/refusal.ts'
import { DATA_HEADERS, pageHeaders } from './security-headers.ts'

export interface PageRoutesDependencies {
  readonly files: StaticFiles
  readonly config: ConfigDocument
  readonly abis: AbiDocument
  readonly network: Pick<NetworkWatch, 'heads' | 'document'>
}

const MINUTE = 'public, max-age=60'

export function addPageRoutes(app: FastifyInstance, { files, config, abis, network }: PageRoutesDependencies): void {
  const data = (path: string, cacheControl: string, read: () => object) =>
    app.get(path, async (_request, reply) => reply.headers({ ...DATA_HEADERS, 'cache-control': cacheControl }).send(read()))
  data('/config.json', 'no-cache', () => config)
  data('/abis.json', MINUTE, () => abis)
  data('/api/network', 'no-store', () => network.document())
  data('/api/network/heads', 'no-store', () => network.heads())
  data('/health', 'no-store', () => ({ ok: true }))
  const headers = pageHeaders(config.captcha?.provider ?? null)
  app.setNotFoundHandler((request, reply) => answerPage(request, reply, files, headers))
}

/** Paths without a file belong to the router in the browser; a file that is missing is not a page. */
function answerPage(
  request: FastifyRequest,
  reply: FastifyReply,
  files: StaticFiles,
  headers: Readonly<Record<string, string>>,
): FastifyReply {
  const path = (request.raw.url ?? '/').split('?')[0] as string
  if (path.startsWith('/api/') || path.startsWith('/rpc/'))
    return refuse(reply, 404, 'not-found', 'this path does not exist', 'a path that the README of the web package lists')
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    reply.header('allow', 'GET, HEAD')
    return refuse(reply, 405, 'method-not-allowed', `${request.method} is not served here`, 'GET')
  }
  reply.headers({ ...headers })
  const file = files.find(path === '/' ? '/index.html' : path)
  if (file !== null) return sendFile(request, reply, file)
  if (/\.[a-z0-9]{1,8}$/i.test(path)) return refuse(reply, 404, 'not-found', 'this file does not exist', 'a page or one of its files')
  // The page that says so comes with the program, and its state is never cached as that of a page.
  return sendFile(request, isPagePath(path) ? reply : reply.code(404), files.index)
}
