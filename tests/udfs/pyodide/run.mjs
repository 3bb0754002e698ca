// Runs a Python file in Pyodide: node run.mjs FOLDER_WITH_NODE_MODULES JOB.json
// The job names wheels to unpack, files to lay into Pyodide's file system and the script; what the script prints last is
// the answer.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [home, jobFile] = process.argv.slice(2);
const { loadPyodide } = createRequire(join(home, "package.json"))("pyodide");
const job = JSON.parse(readFileSync(jobFile, "utf8"));
const bytes = (path) => new Uint8Array(readFileSync(path));

try {
  const pyodide = await loadPyodide();
  for (const wheel of job.wheels) pyodide.unpackArchive(bytes(wheel).buffer, "wheel");
  for (const [target, source] of Object.entries(job.files)) {
    pyodide.FS.mkdirTree(target.slice(0, target.lastIndexOf("/")));
    pyodide.FS.writeFile(target, bytes(source));
  }
  pyodide.runPython(readFileSync(job.script, "utf8"));
} catch (error) {
  // node would show the whole of Pyodide's only line with it
  console.error(error.message);
  process.exit(1);
}
