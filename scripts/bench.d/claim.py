"""claim.py OWNER - the same with Python's own library: take the next ready task of .tasks"""

import fcntl
import glob
import json
import os
import sys

with open(".tasks/.claim-lock", "a") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    tasks = {}
    for name in glob.glob(".tasks/*.json"):
        with open(name) as file:
            task = json.load(file)
            tasks[task["id"]] = task
    ready = [
        task
        for task in tasks.values()
        if task["status"] == "pending"
        and task["owner"] is None
        and all(tasks[blocker]["status"] == "completed" for blocker in task["blockedBy"])
    ]
    if not ready:
        sys.exit(1)
    task = min(ready, key=lambda task: (-task["priority"], task["id"]))
    task.update(status="in_progress", owner=sys.argv[1], rev=task["rev"] + 1)
    with open(".tasks/.claim-new", "w") as file:
        json.dump(task, file, indent=2)
    os.rename(".tasks/.claim-new", f".tasks/{task['id']}.json")
