"""peer.py VERB ... - the same with Python's own library: the verbs of peer.sh, on the same files"""

import fcntl
import glob
import json
import os
import sys


def read(path):
    with open(path) as file:
        return json.load(file)


def write(task):
    with open(".tasks/.peer-new", "w") as file:
        json.dump(task, file, indent=2)
    os.rename(".tasks/.peer-new", f".tasks/{task['id']}.json")


def claim(owner):
    tasks = {}
    for name in glob.glob(".tasks/*.json"):
        task = read(name)
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
    task.update(status="in_progress", owner=owner, rev=task["rev"] + 1)
    write(task)


def create(subject):
    try:
        with open(".tasks/.last") as file:
            number = int(file.read()) + 1
    except FileNotFoundError:
        number = 900001
    write({"id": number, "subject": subject, "status": "pending", "owner": None, "blockedBy": [], "priority": 0, "rev": 1})
    with open(".tasks/.last", "w") as file:
        file.write(f"{number}\n")


def complete(number):
    task = read(f".tasks/{number}.json")
    task.update(status="completed", rev=task["rev"] + 1)
    write(task)


def get(number):
    print(json.dumps(read(f".tasks/{number}.json")))


def list():
    for name in glob.glob(".tasks/*.json"):
        print(json.dumps(read(name)))


def send(content):
    with open("inbox.jsonl", "a") as file:
        file.write(json.dumps({"type": "message", "sender": "lead", "content": content}) + "\n")


def recv():
    os.rename("inbox.jsonl", "taken.jsonl")
    with open("taken.jsonl") as file:
        for line in file:
            print(json.loads(line)["content"])
    os.unlink("taken.jsonl")


with open(".tasks/.peer-lock", "a") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    globals()[sys.argv[1]](*sys.argv[2:])
