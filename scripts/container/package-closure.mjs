/** Packages that the given ones need at run time, according to the lockfile. */

export function packageClosure(names, lock) {
  const found = new Set()
  const add = (name, from) => {
    const path = resolve(name, from, lock.packages)
    if (path === null || found.has(path)) return
    found.add(path)
    const { dependencies = {}, optionalDependencies = {} } = lock.packages[path]
    for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies })) add(dependency, path)
  }
  for (const name of names) add(name, '')
  return [...found].sort()
}

function resolve(name, from, packages) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (packages[path] !== undefined) return path
    if (folder === '' || !folder.includes('/node_modules/')) {
      const top = `node_modules/${name}`
      return packages[top] === undefined ? null : top
    }
  }
}
