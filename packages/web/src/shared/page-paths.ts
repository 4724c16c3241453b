/** Paths of the pages: the browser chooses a page by them, and the server the status 404 for others. A group is the page's id. */
export const PAGE_PATHS = {
  home: /^\/$/,
  explorer: /^\/explorer\/?$/,
  block: /^\/block\/(\d{1,15}|0x[0-9a-fA-F]{64})$/,
  transaction: /^\/tx\/(0x[0-9a-fA-F]{64})$/,
  address: /^\/address\/(0x[0-9a-fA-F]{40})$/,
  token: /^\/token\/(0x[0-9a-fA-F]{40})$/,
  batch: /^\/batch\/(0x[0-9a-fA-F]{64})$/,
  find: /^\/find\/(0x[0-9a-fA-F]{64})$/,
  bridge: /^\/bridge$/,
  validators: /^\/validators$/,
  network: /^\/network$/,
  faucet: /^\/faucet$/,
  chat: /^\/chat$/,
  agents: /^\/agents$/,
  simulation: /^\/simulation$/,
  search: /^\/search$/,
} as const satisfies Readonly<Record<string, RegExp>>

export function isPagePath(path: string): boolean {
  return Object.values(PAGE_PATHS).some((pattern) => pattern.test(path))
}
